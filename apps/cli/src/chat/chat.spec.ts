// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

describe('`writ chat` in a pipe', () => {
  it("prints the model's text and nothing else", async () => {
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
    expect(api.requests.map(({ route: what }) => what).slice(0, 4)).toEqual([
      'GET /v1/models',
      'POST /v1/sessions',
      `POST /v1/sessions/${SESSION_ID}/runs`,
      `GET /v1/runs/${RUN_ID}/events`,
    ]);
    expect(api.requests[1]).toMatchObject({
      body: { workspace_id: IDS.workspace, capability_token_id: IDS.token, model: 'one' },
      key: 'Bearer writ_agent',
    });
    expect(api.requests[2]?.body).toMatchObject({ input: 'do it\n', idempotency_key: expect.any(String) });
  });

  it('with --verbose, prints calls on stderr, with arguments, state, risk and changes', async () => {
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
    expect(api.requests.find(({ route: what }) => what.startsWith('GET /v1/workspaces/'))?.key).toBe(
      'Bearer writ_operator',
    );
  });

  it('with a context, reads and decides at its server with its key, whatever runs locally', async () => {
    await on({ streams: [(run) => wrote(run).replied('Done.').end()] });
    const dir = mkdtempSync(join(tmpdir(), 'writ-chat-'));
    mkdirSync(join(dir, '.writ'));
    mkdirSync(join(dir, 'writ'));
    const local = { url: 'http://127.0.0.1:9', api_key: 'local', operator_key: 'local', agent_key: 'local' };
    writeFileSync(join(dir, '.writ', 'cli.json'), JSON.stringify(local));
    const work = { url: api.env['WRIT_URL'], credential: { kind: 'api_key', secret: 'of-work' } };
    const contexts = JSON.stringify({ current: 'work', contexts: { work } });
    writeFileSync(join(dir, 'writ', 'config.json'), contexts, { mode: 0o600 });
    const ran = await writ(['chat', ...HERE, '--verbose'], {
      cwd: dir,
      env: { XDG_CONFIG_HOME: dir },
      stdin: 'do it\n',
    });
    rmSync(dir, { recursive: true });
    expect(ran).toMatchObject({ exit: 0 });
    expect(new Set(api.requests.map(({ key }) => key))).toEqual(new Set(['Bearer of-work']));
    // What the person who decides reads.
    expect(api.requests.some(({ route: what }) => what.startsWith('GET /v1/workspaces/'))).toBe(true);
  });

  it('with --verbose, prints envelopes as written, what of them could not be read, and warnings', async () => {
    const fence = '```yips-agent\n{"actions": []}\n```';
    const turn = {
      text: 'I look.',
      written: `I look.\n${fence}\n`,
      calls: [
        { ...CALL, problem: 'there is no `id`' },
        { ...CALL, id: 'c2', show: { warnings: ['`timeoutMs` is 100 to 120000\u001b[2J'] } },
      ],
      problems: ['there are 2 envelopes'],
      notes: ['`yips-agent` has no member `plan`'],
      stop: 'tool_use',
    };
    const streams = [(run: FakeRun) => run.durable('replied', { turn }).replied('Done.').end()];
    await on({ streams });
    const { out, err } = await chat([...HERE, '--verbose']);
    expect(out).toBe('I look.\nDone.\n');
    for (const part of [
      'as the model wrote it:\n  I look.\n  ```yips-agent\n  {"actions": []}\n  ```',
      'problem: there are 2 envelopes',
      'problem of c1: there is no `id`',
      'warning: `yips-agent` has no member `plan`',
      'warning: `timeoutMs` is 100 to 120000\\u{1b}[2J',
    ])
      expect(err).toContain(part);
    api.close();
    await on({ streams });
    expect((await chat()).err).toBe('');
  });

  it('with --gateway, begins a session in which nobody can be asked', async () => {
    await on({ streams: [(run) => run.replied('Done.').end()] });
    await chat([...HERE, '--gateway']);
    expect(api.requests[1]).toMatchObject({ route: 'POST /v1/sessions', body: { session_mode: 'gateway' } });
    expect(await chat(['--session', SESSION_ID, '--gateway'])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('`--gateway` are of a new session'),
    });
  });

  it('prints a call once, with its outcome, where its start was missed or repeated', async () => {
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

  it('exits with 1 and the reason where the model did not end the run', async () => {
    await on({ streams: [(run) => run.replied('So far.').end('limit')], stopped: 'limit' });
    expect(await chat()).toEqual({ exit: 1, out: 'So far.\n', err: 'stopped: as many rounds as the run may have\n' });
  });

  it('exits with 3 and the next command when a call is held; with --wait it keeps waiting', async () => {
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
      exit: 3,
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

  it('with --json, prints exactly one value', async () => {
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

  it('ctrl-c cancels the run, and the program ends after it', async () => {
    let heard = (): void => undefined;
    await on({
      streams: [
        async (run) => {
          run.live('text', { round: 1, text: 'I go on' });
          heard();
          await api.waitForRequest(`POST /v1/runs/${RUN_ID}/cancel`);
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

describe('`writ chat` on a stream of events', () => {
  it('resumes a broken stream after the last event, without repeats or gaps', async () => {
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

  it('shows a complete reply once, though the stream repeats it', async () => {
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

  it('reports a failure of the model, and discards the text streamed before it', async () => {
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

  it('ignores events of unknown kinds', async () => {
    await on({ streams: [(run) => run.live('weather', { fine: true }).durable('new_thing').replied('Done.').end()] });
    expect(await chat()).toMatchObject({ exit: 0, out: 'Done.\n' });
  });
});

describe('`writ chat` with a session', () => {
  it('continues the session that --session names, and refuses --model with it', async () => {
    await on({ streams: [(run) => run.replied('Done.').end()] });
    expect(await chat(['--session', SESSION_ID])).toMatchObject({ exit: 0 });
    expect(api.requests[0]?.route).toBe(`GET /v1/sessions/${SESSION_ID}`);
    expect(await chat(['--session', SESSION_ID, '--model', 'one'])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('names one that is there'),
    });
  });

  it('requires --model where there are several models', async () => {
    await on({ streams: [], models: ['one', 'two'] });
    expect(await chat()).toEqual({ exit: 2, out: '', err: 'error usage: `--model` is missing: one, two\n' });
  });

  it('creates no session without a message', async () => {
    await on({ streams: [] });
    expect(await chat(HERE, ' \n')).toMatchObject({ exit: 2 });
    expect(api.requests).toEqual([]);
  });
});
