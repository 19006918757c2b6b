// SPDX-License-Identifier: Apache-2.0
import {
  CALL,
  fakeRuns,
  RUN_ID,
  SESSION_ID,
  type FakeRun,
  type FakeRuns,
  type FakeRunsOptions,
} from '../specs/fake-runs.ts';
import { writ } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

let api: FakeRuns;
const on = async (options: FakeRunsOptions) => {
  api = await fakeRuns(options);
};
afterEach(() => api.close());
const HERE = ['--workspace', IDS.workspace, '--token', IDS.token];
const chat = (args: readonly string[] = HERE, stdin = 'do it\n') => writ(['chat', ...args], { env: api.env, stdin });
const answered = (run: FakeRun): FakeRun =>
  run.durable('answered', {
    round: 1,
    index: 0,
    answer: { text: 'written', standing: 'completed', is_error: false, operation_id: IDS.operation },
  });
const wrote = (run: FakeRun): FakeRun =>
  answered(
    run
      .replied('I write it.', [CALL])
      .live('started', { round: 1, index: 0, operation_id: IDS.operation, tool_id: 'fs.write' }),
  );

describe('in a pipe', () => {
  it('what the model says is the output, and nothing else', async () => {
    await on({
      streams: [
        (run) =>
          wrote(run.live('text', { round: 1, text: 'I write' }).live('text', { round: 1, text: ' it.' }))
            .live('text', { round: 2, text: 'Done\u001b[2J' })
            .replied('Done\u001b[2J.')
            .end(),
      ],
    });
    expect(await chat()).toEqual({ exit: 0, out: 'I write it.\nDone\\u{1b}[2J.\n', err: '' });
    expect(api.heard.map(({ what }) => what).slice(0, 4)).toEqual([
      'GET /v1/models',
      'POST /v1/sessions',
      `POST /v1/sessions/${SESSION_ID}/runs`,
      `GET /v1/runs/${RUN_ID}/events`,
    ]);
    expect(api.heard[1]).toMatchObject({
      body: { workspace_id: IDS.workspace, capability_token_id: IDS.token, model: 'one' },
      key: 'Bearer writ_agent',
    });
    expect(api.heard[2]?.body).toMatchObject({ input: 'do it\n', idempotency_key: expect.any(String) });
  });

  it('with --verbose calls stand on stderr, with arguments, state, risk and what changed', async () => {
    await on({ streams: [(run) => wrote(run).replied('Done.').end()] });
    const { exit, out, err } = await chat([...HERE, '--verbose']);
    expect([exit, out]).toEqual([0, 'I write it.\nDone.\n']);
    for (const part of [
      '▸ fs.write\n  {\n    "path": "a.txt"',
      `operation ${IDS.operation}`,
      '✔ fs.write committed risk 0.1 (autopilot)',
      '+two',
      '  written',
      '1 rounds, 10 tokens in, 5 out',
    ])
      expect(err).toContain(part);
    expect(api.heard.find(({ what }) => what.startsWith('GET /v1/workspaces/'))?.key).toBe('Bearer writ_operator');
  });

  it('a call that started unheard, or twice, is told once, and as what it became', async () => {
    const started = { round: 1, index: 0, operation_id: 'op_of_another', tool_id: 'fs.write' };
    for (const stream of [
      (run: FakeRun) => answered(run.replied('', [CALL])),
      (run: FakeRun) =>
        answered(
          run
            .replied('', [CALL])
            .live('started', started)
            .live('started', { ...started, operation_id: IDS.operation }),
        ),
    ]) {
      await on({ streams: [(run) => stream(run).replied('Done.').end()] });
      const { err } = await chat([...HERE, '--verbose']);
      expect([err.split('▸ fs.write').length - 1, err.includes('✔ fs.write committed')]).toEqual([1, true]);
      api.close();
    }
  });

  it("an end that is not the model's own is status 1, and says why", async () => {
    await on({ streams: [(run) => run.replied('So far.').end('limit')], stopped: 'limit' });
    expect(await chat()).toEqual({ exit: 1, out: 'So far.\n', err: 'stopped: as many rounds as the run may have\n' });
  });

  it('a call that waits ends it with status 1 and what to do; with --wait it stays', async () => {
    const held = (run: FakeRun): FakeRun =>
      run
        .replied('', [CALL])
        .durable('held', {
          round: 1,
          index: 0,
          held: { operation_id: IDS.operation, waits_for: 'approval', text: 'waits' },
        });
    await on({ streams: [(run) => void held(run)], stopped: null });
    expect(await chat()).toEqual({
      exit: 1,
      out: '',
      err: `operation ${IDS.operation} waits for a person; writ approvals\nerror run: run \`${RUN_ID}\` waits for a person, and goes on by itself when it is decided\n`,
    });
    api.close();
    await on({
      streams: [
        (run) =>
          held(run)
            .durable('explained', { round: 1, turn: { text: 'It waits.', calls: [], stop: 'end' } })
            .durable('resumed')
            .replied('Done.')
            .end(),
      ],
    });
    expect(await chat([...HERE, '--wait'])).toMatchObject({ exit: 0, out: 'It waits.\nDone.\n' });
  });

  it('with --json one value is all of the output', async () => {
    await on({ streams: [(run) => run.replied('Done.').end()] });
    const { exit, out } = await chat([...HERE, '--json']);
    expect([exit, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({
        session_id: SESSION_ID,
        text: 'Done.',
        run: expect.objectContaining({ stopped: 'end' }),
      }),
    ]);
  });

  it('ctrl-c cancels the run, and the program ends with it', async () => {
    let heard = (): void => undefined;
    await on({
      streams: [
        async (run) => {
          run.live('text', { round: 1, text: 'I go on' });
          heard();
          await api.hears(`POST /v1/runs/${RUN_ID}/cancel`);
          run.durable('cancelled', { by: 'key_x' }).end('cancelled');
        },
      ],
      stopped: 'cancelled',
    });
    const ran = await writ(['chat', ...HERE, 'go'], {
      env: api.env,
      onInterrupt: (handler) => {
        heard = handler;
        return () => {
          heard = () => undefined;
        };
      },
    });
    expect(ran).toEqual({ exit: 1, out: 'I go on\n', err: 'the run was cancelled\n' });
  });
});

describe('a stream', () => {
  it('that breaks is followed on after what was told, and nothing is shown twice or left out', async () => {
    await on({
      streams: [
        (run) => {
          wrote(run).live('text', { round: 2, text: 'Do' });
          setImmediate(() => run.break());
        },
        (run) => {
          expect(run.resumedAfter).toBe('2');
          run
            .durable('replied', { turn: { text: 'I write it.', calls: [CALL] } }, 1)
            .durable(
              'answered',
              { round: 1, index: 0, answer: { text: 'again', standing: 'completed', is_error: false } },
              2,
            )
            .replied('Done, all of it.')
            .end();
        },
      ],
    });
    expect(await chat()).toEqual({ exit: 0, out: 'I write it.\nDone, all of it.\n', err: '' });
  });

  it('that tells of a reply again when all of it was told is not heard twice', async () => {
    await on({
      streams: [
        (run) =>
          answered(run.replied('I write it.', [CALL]).live('text', { round: 1, text: 'I write it.' }))
            .replied('Done.')
            .live('text', { round: 2, text: 'Done.' })
            .end(),
      ],
    });
    expect(await chat()).toEqual({ exit: 0, out: 'I write it.\nDone.\n', err: '' });
  });

  it('whose model failed is told so, and what streamed before counts for nothing', async () => {
    await on({
      streams: [
        (run) =>
          run
            .live('text', { round: 1, text: 'Half a' })
            .live('retry', { round: 1, failures: 1, delay_ms: 1, fault: 'overloaded' })
            .live('text', { round: 1, text: 'Whole.' })
            .replied('Whole.')
            .end(),
      ],
    });
    expect(await chat()).toEqual({
      exit: 0,
      out: 'Half a\nWhole.\n',
      err: 'the model failed (overloaded) and is asked again\n',
    });
  });

  it('that says what nobody knows goes on', async () => {
    await on({ streams: [(run) => run.live('weather', { fine: true }).durable('new_thing').replied('Done.').end()] });
    expect(await chat()).toMatchObject({ exit: 0, out: 'Done.\n' });
  });
});

describe('a session', () => {
  it('that is named goes on, and takes no model', async () => {
    await on({ streams: [(run) => run.replied('Done.').end()] });
    expect(await chat(['--session', SESSION_ID])).toMatchObject({ exit: 0 });
    expect(api.heard[0]?.what).toBe(`GET /v1/sessions/${SESSION_ID}`);
    expect(await chat(['--session', SESSION_ID, '--model', 'one'])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('names one that is there'),
    });
  });

  it('with several models needs one named', async () => {
    await on({ streams: [], models: ['one', 'two'] });
    expect(await chat()).toEqual({ exit: 2, out: '', err: 'error usage: `--model` is missing: one, two\n' });
  });

  it('without a message is not begun', async () => {
    await on({ streams: [] });
    expect(await chat(HERE, ' \n')).toMatchObject({ exit: 2 });
    expect(api.heard).toEqual([]);
  });
});
