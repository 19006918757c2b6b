// SPDX-License-Identifier: Apache-2.0
// Tests `writ chat` at a real terminal: they type keys into a pty and read its output.
import { vi } from 'vitest';
import {
  CALL,
  fakeRuns,
  RUN_ID,
  SESSION_ID,
  type FakeRun,
  type FakeRuns,
  type FakeRunsOptions,
} from '../specs/fake-runs.ts';
import { Pty } from '../specs/pty.ts';
import { IDS } from '../specs/samples.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const SECRET = 'hunter2-hunter2';
let api: FakeRuns;
let pty: Pty;
const open = async (options: FakeRunsOptions, args: readonly string[] = []): Promise<void> => {
  api = await fakeRuns(options);
  pty = new Pty(['chat', '--session', SESSION_ID, ...args], api.env);
};
afterEach(() => {
  pty.stop();
  api.close();
});
const held = (run: FakeRun, waits_for: 'approval' | 'value' = 'approval'): FakeRun =>
  run
    .replied('I need something.', [CALL])
    .durable('held', { round: 1, index: 0, held: { operation_id: IDS.operation, waits_for, text: 'waits' } });
const bodyOf = (beginning: string): unknown => api.requests.find(({ route: what }) => what.startsWith(beginning))?.body;

test("a held call is shown with a coloured diff, and one key press approves it with the operator's key", async () => {
  const effect_digest = '7'.repeat(64);
  await open({
    streams: [
      async (run) => {
        held(run);
        await api.waitForRequest('POST /v1/approvals/');
        run
          .durable('resumed')
          .live('started', { round: 1, index: 0, operation_id: IDS.operation, tool_id: 'fs.write' })
          .durable('answered', {
            round: 1,
            index: 0,
            answer: { text: 'ok', standing: 'completed', is_error: false, operation_id: IDS.operation },
          })
          .replied('Done.')
          .end();
      },
    ],
    approval: {
      binding: { action_digest: '4'.repeat(64), effect_digest, policy_hash: '0'.repeat(64), expires_at: 1 },
      preview: {
        state: 'ready',
        why: null,
        round: 1,
        base_snapshot_id: 'snap_a',
        changes: [],
        changes_total: 1,
        exit_code: 0,
        output: null,
        would_ask_for: [],
        used: null,
      },
    },
  });
  await pty.waitFor('› ');
  pty.type('do it\r');
  const asked = await pty.waitFor('eave it waiting? ');
  expect(pty.shown).toContain('\u001b[32m+two\u001b[39m');
  expect(pty.shown).toContain('\u001b[31m-one\u001b[39m');
  expect(pty.shown).toContain('would delete `src`');
  pty.type('a');
  const done = await pty.waitFor('Done.', asked);
  expect(pty.shown.slice(asked, done)).toMatch(/approved[^]*risk 0\.1 \(autopilot\)/);
  await pty.waitFor('› ', done);
  expect(api.requests.find(({ route: what }) => what === `POST /v1/approvals/${IDS.approval}/approve`)).toMatchObject({
    body: { effect_digest },
    key: 'Bearer writ_operator',
  });
  pty.type('\u0004');
  expect(await pty.waitForExit()).toBe(0);
});

test('a denial sends the typed comment', async () => {
  await open(
    {
      streams: [
        async (run) => {
          held(run);
          await api.waitForRequest('POST /v1/approvals/');
          run.durable('resumed').replied('I leave it.').end();
        },
      ],
    },
    ['go'],
  );
  await pty.waitFor('eave it waiting? ');
  pty.type('d');
  await pty.waitFor('may be empty): ');
  pty.type('not now\r');
  await pty.waitFor('I leave it.');
  expect(await pty.waitForExit()).toBe(0);
  expect(bodyOf(`POST /v1/approvals/${IDS.approval}/deny`)).toEqual({ comment: 'not now' });
});

test('a secret is not echoed', async () => {
  await open(
    {
      streams: [
        async (run) => {
          held(run, 'value');
          await api.waitForRequest('POST /v1/approvals/');
          run.durable('resumed').replied('Thanks.').end();
        },
      ],
      approval: { of: 'value', tool_id: 'value.get', args: { key: 'NPM_TOKEN', reason: 'to publish' } },
    },
    ['publish it'],
  );
  await pty.waitFor('NPM_TOKEN (not shown; empty denies): ');
  expect(pty.shown).toContain('to publish');
  pty.type(`${SECRET}\r`);
  await pty.waitFor('Thanks.');
  expect(await pty.waitForExit()).toBe(0);
  expect(bodyOf(`POST /v1/approvals/${IDS.approval}/value`)).toEqual({ value: SECRET, scope: 'once' });
  expect(pty.shown).not.toContain('hunter2');
});

test('ctrl-c cancels the run and not the program, during a stream and at a question', async () => {
  const cancelled = async (run: FakeRun, times: number): Promise<void> => {
    while (api.requests.filter(({ route: what }) => what === `POST /v1/runs/${RUN_ID}/cancel`).length < times)
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    run.durable('cancelled', { by: 'key_x' }).end('cancelled');
  };
  await open({
    streams: [
      async (run) => {
        run.live('text', { round: 1, text: 'and on, and on' });
        await cancelled(run, 1);
      },
      async (run) => {
        await cancelled(held(run), 2);
      },
    ],
    stopped: 'cancelled',
  });
  await pty.waitFor('› ');
  pty.type('talk\r');
  await pty.waitFor('and on, and on');
  pty.type('\u0003');
  const first = await pty.waitFor('the run was cancelled');
  await pty.waitFor('› ', first);
  pty.type('again\r');
  await pty.waitFor('eave it waiting? ', first);
  pty.type('\u0003');
  const second = await pty.waitFor('the run was cancelled', first);
  await pty.waitFor('› ', second);
  pty.type('\u0003');
  await pty.waitFor('/quit or ctrl-d leaves', second);
  pty.type('/quit\r');
  expect(await pty.waitForExit()).toBe(0);
});

test('a question is withdrawn when somebody else decides; input typed ahead and continued lines are kept', async () => {
  await open({
    streams: [
      (run) => held(run).durable('resumed').replied('Somebody else did.').end(),
      (run) => run.replied('I heard.').end(),
    ],
  });
  await pty.waitFor('› ');
  pty.type('first\rsecond \\\rand more\r');
  await pty.waitFor('Somebody else did.');
  const heard = await pty.waitFor('I heard.');
  expect(
    api.requests
      .filter(({ route: what }) => what.endsWith('/runs'))
      .map(({ body }) => (body as { input: string }).input),
  ).toEqual(['first', 'second \nand more']);
  await pty.waitFor('› ', heard);
  pty.type('/verbose\r/nonsense\r');
  await pty.waitFor('arguments and answers of calls are shown', heard);
  await pty.waitFor('› ', await pty.waitFor('there is no /nonsense', heard));
  pty.type('\u0004');
  expect(await pty.waitForExit()).toBe(0);
});
