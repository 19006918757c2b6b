// SPDX-License-Identifier: Apache-2.0
// Scripts of mk8.shell through the API: analysed before they run, run in real containers, and committed completely or
// not at all.
import { vi } from 'vitest';
import { approveShown, verifiedReceipt, type Stack, type World } from '@writ/stack';
import { op, outputs, ScriptStack, type Ran } from './mk8-scripts.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let scripts: ScriptStack;
let stack: Stack;
let world: World;
beforeAll(async () => {
  scripts = await ScriptStack.start();
  ({ stack, world } = scripts);
});
afterAll(() => scripts?.stop());
beforeEach(() => scripts.clearReceived());

const run = (script: unknown, over: Record<string, unknown> = {}, args: Record<string, unknown> = {}): Promise<Ran> =>
  scripts.run(script, over, args);

describe('a script', () => {
  it('that succeeds commits one delta, and its receipt verifies', async () => {
    const { body, steps } = await run({
      operations: [
        { ...op('FileRead', 'a.txt'), captureAs: 'A' },
        op('FileWrite', 'made/b.txt', '$A!'),
        {
          ...op('FileTemplate', 'config.json'),
          template: { source: 'src/config.template.json', values: { HOST: 'db.internal' } },
        },
        { ...op('FilePatch', 'data.json'), patches: [{ find: '[1,2]', replace: '[3]' }] },
      ],
    });
    expect(body).toMatchObject({
      status: 'ok',
      tx_outcome: 'committed',
      result: { status: 'completed', all_succeeded: true },
    });
    expect(outputs(steps)).toEqual([
      'one\ntwo\n',
      'wrote 8 bytes to made/b.txt',
      expect.stringContaining('config.json'),
      expect.stringContaining('data.json'),
    ]);
    expect([await world.file('made/b.txt'), await world.file('config.json'), await world.file('data.json')]).toEqual([
      'one\ntwo!',
      '{"host":"db.internal"}',
      '{"n":[3]}',
    ]);
    expect((await verifiedReceipt(stack, world, body.operation_id as string)).record).toMatchObject({
      tx_outcome: 'committed',
      commit_delta_id: expect.stringMatching(/^delta_/),
    });
  });

  it('that fails is rolled back completely, and its result names the failed step', async () => {
    const { body, steps } = await run({
      operations: [op('FileWrite', 'rolled-back.txt', 'x'), op('Assert', 'a', 'b', 'they differ'), op('Echo', 'never')],
    });
    expect(body).toMatchObject({ tx_outcome: 'rolled_back', result: { status: 'failed', all_succeeded: false } });
    expect(outputs(steps)).toEqual([
      'wrote 1 bytes to rolled-back.txt',
      expect.stringContaining('they differ'),
      'not_run',
    ]);
    expect(await world.file('rolled-back.txt')).toBeNull();
  });

  it('with errors is refused with all of them, and nothing of it runs', async () => {
    const { body } = await run({
      operations: [
        op('FileWrite', 'never.txt', 'x'),
        op('FileRead', '/etc/passwd'),
        op('NoSuchVerb'),
        op('ProcRun', 'bash', '-c', 'id'),
      ],
    });
    expect(body).toMatchObject({ status: 'error', error: { code: 'args.invalid' } });
    const said = JSON.stringify(body.reasons);
    for (const pointer of ['/script/operations/1/args/0', '/script/operations/2/verb', '/script/operations/3/args'])
      expect(said).toContain(pointer);
    expect(await world.file('never.txt')).toBeNull();
  });

  it('as text gets its errors with line and column', async () => {
    const { body } = await run('{\n  "operations": [\n    { "verb": "FileRead", "args": ["../x"] }\n  ]\n}');
    expect(JSON.stringify(body.reasons)).toMatch(/line 3, column \d+/);
  });

  it('as a dry run runs nothing, and lists what it would touch', async () => {
    const { body } = await run(
      {
        operations: [
          op('FileCopy', 'a.txt', 'dry.txt'),
          op('HttpGet', 'http://a.outside.example/x'),
          op('ProcRun', 'git', 'status'),
        ],
      },
      { dry_run: true },
    );
    expect([body.tx_outcome, await world.file('dry.txt'), scripts.received]).toEqual(['no_op', null, []]);
    const predicted = {
      status: 'dry_run',
      sandbox: { name: 'default', digest: null },
      category: 'write',
      reads: ['a.txt'],
      writes: ['dry.txt'],
      deletes: [],
      hosts: ['a.outside.example'],
      templates: ['git.status'],
      open: [],
    };
    expect(body.result).toMatchObject(predicted);
    const receipt = await verifiedReceipt(stack, world, body.operation_id as string);
    expect(receipt.record).toMatchObject({ tx_outcome: 'no_op', result_hash: body.result_hash });
  });

  it('reads and writes only what its token allows', async () => {
    const narrow = (
      await world.admin.must('/v1/capability-tokens', {
        agent_id: world.agentId,
        workspace_id: world.workspaceId,
        grant: {
          tools: ['mk8.run'],
          fs: [{ path: 'src', read: true, write: false }],
          net: [],
          secrets: [],
          budgets: {},
          not_before: 0,
          expires_at: Date.now() + 3_600_000,
        },
      })
    ).capability_token_id as string;
    const under = { capability_token_id: narrow };
    expect((await run({ operations: [op('FileRead', 'a.txt')] }, under)).body).toMatchObject({
      status: 'error',
      error: { code: 'token.scope' },
    });
    expect((await run({ operations: [op('FileWrite', 'src/x.txt', 'x')] }, under)).body).toMatchObject({
      status: 'error',
      error: { code: 'token.scope' },
    });
    expect((await run({ operations: [op('HttpGet', 'http://a.outside.example/')] }, under)).body).toMatchObject({
      status: 'error',
    });
    expect(outputs((await run({ operations: [op('FileExists', 'src/config.template.json')] }, under)).steps)).toEqual([
      'True',
    ]);
  });
});

describe('control flow of a script', () => {
  it('captures, PREV and the pipe pass outputs on', async () => {
    const { steps } = await run({
      options: { pipeStepOutput: true },
      operations: [
        { ...op('FileHead', 'a.txt', '1'), captureAs: 'FIRST' },
        op('TextToUpper', '$PREV'),
        op('Echo', '$PREV and $first'),
      ],
    });
    expect(outputs(steps)).toEqual(['one', 'ONE', 'ONE and one']);
  });

  it('a step is retried, each time after twice the delay', async () => {
    const { steps } = await run({
      options: { retryDelay: '00:00:00.2' },
      operations: [{ ...op('HttpGet', 'http://a.outside.example/fails-twice'), maxRetries: 3 }],
    });
    expect(steps).toMatchObject([{ status: 'ok', attempts: 3, output: 'hello from outside\n' }]);
    // 0.2 s and 0.4 s: the result contains them, so the test needs no clock.
    expect(steps[0]?.duration_ms).toBeGreaterThanOrEqual(590);
  });

  it('a step that takes too long is stopped, and so is a whole script', async () => {
    const step = await run({
      options: { failureMode: 'ContinueOnError' },
      operations: [{ ...op('Sleep', '30'), stepTimeout: '00:00:00.1' }, op('Echo', 'on')],
    });
    expect([outputs(step.steps), step.body.tx_outcome]).toEqual([
      [expect.stringMatching(/^timeout: it took longer/), 'on'],
      'no_op',
    ]);
    const script = await run({
      options: { scriptTimeout: '00:00:00.2' },
      operations: [op('Sleep', '30'), op('Echo', 'never')],
    });
    expect(script.body).toMatchObject({ tx_outcome: 'rolled_back', result: { status: 'timeout' } });
  });

  it('goto handles a failure: steps between are skipped, and the script commits', async () => {
    const { body, steps } = await run({
      operations: [
        { ...op('Fail', 'no'), onFailure: 'goto:END' },
        op('FileWrite', 'between.txt', 'x'),
        { ...op('FileWrite', 'end.txt', 'x'), label: 'END' },
      ],
    });
    expect(body).toMatchObject({ tx_outcome: 'committed', result: { status: 'completed', all_succeeded: false } });
    expect([outputs(steps), await world.file('between.txt'), await world.file('end.txt')]).toEqual([
      ['failed: no', 'skipped', 'wrote 1 bytes to end.txt'],
      null,
      'x',
    ]);
  });

  it('loops and conditions run the right steps', async () => {
    const { steps } = await run({
      options: { pipeStepOutput: true },
      operations: [
        { verb: 'ForEach', forEach: { items: ['x', 'y'], body: op('Echo', '$INDEX$ITEM') } },
        { verb: 'If', if: { predicate: { kind: 'FileExists', args: ['a.txt'] }, then: op('Echo', 'there') } },
        { verb: 'If', if: { predicate: { kind: 'PrevContains', args: ['nothing'] }, then: op('Echo', 'not') } },
      ],
    });
    expect(outputs(steps)).toEqual(['0x', '1y', 'there', 'skipped']);
  });

  it('failure modes stop, continue and commit, or stop and clean up before the rollback', async () => {
    const operations = [op('FileWrite', 'kept.txt', 'x'), op('Fail', 'no'), op('Echo', 'on')];
    const stops = await run({ operations });
    expect([stops.body.tx_outcome, outputs(stops.steps)[2]]).toEqual(['rolled_back', 'not_run']);
    const cleans = await run({
      options: { failureMode: 'StopAndCleanup' },
      operations,
      cleanup: [op('FileExists', 'kept.txt'), op('FileDelete', 'kept.txt')],
    });
    expect([cleans.body.tx_outcome, outputs(cleans.cleanup)]).toEqual(['rolled_back', ['True', 'deleted kept.txt']]);
    expect(await world.file('kept.txt')).toBeNull();
    const goesOn = await run({ options: { failureMode: 'ContinueOnError' }, operations });
    expect([goesOn.body.tx_outcome, outputs(goesOn.steps)[2], await world.file('kept.txt')]).toEqual([
      'committed',
      'on',
      'x',
    ]);
  });

  it('a command runs by its template, and its output is never parsed as part of another', async () => {
    const { steps, body } = await run({
      operations: [op('ProcRun', 'wc', '-l', 'a.txt'), op('ProcRun', 'git', '--version')],
    });
    expect([outputs(steps), body.tx_outcome]).toEqual([
      [expect.stringContaining('2 '), expect.stringMatching(/^git version/)],
      'no_op',
    ]);
    expect(
      (
        await run({
          operations: [{ ...op('ProcRun', 'cat', 'a.txt'), captureAs: 'OUT' }, op('ProcRun', 'cat', '$OUT')],
        })
      ).body,
    ).toMatchObject({ status: 'error' });
  });
});

describe('git on a feature branch', () => {
  const git = (...args: string[]) => op('ProcRun', 'git', ...args);

  it('runs without a person, from the first commit to a merge', async () => {
    const { body, steps } = await run({
      operations: [
        git('init'),
        git('add', 'a.txt', 'src'),
        git('commit', '-m', 'first'),
        git('switch', '-c', 'feature/more'),
        op('FileAppend', 'a.txt', 'three'),
        git('commit', '-a', '-m', 'more'),
        git('switch', 'feature/init'),
        git('merge', 'feature/more'),
        git('branch', '-d', 'feature/more'),
        git('tag', 'v1'),
      ],
    });
    expect(body).toMatchObject({ tx_outcome: 'committed', result: { status: 'completed', all_succeeded: true } });
    expect(steps.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'ok'));
    const later = await run({
      operations: [op('FileAppend', 'a.txt', 'four'), git('stash'), git('stash', 'pop'), git('add', '-A')],
    });
    expect(later.body).toMatchObject({ tx_outcome: 'committed' });
    expect((await run({ operations: [git('commit', '-m', 'last')] })).body).toMatchObject({ tx_outcome: 'committed' });
  });

  it('waits for a person before it takes back changes of a folder', async () => {
    expect((await run({ operations: [git('checkout', '--', 'src')] })).body).toMatchObject({ state: 'held' });
  });
});

describe('what a container tells of itself', () => {
  it('is the log and the services of the run, and the clipboard is in the result', async () => {
    const { body, steps } = await run({
      operations: [
        op('Echo', 'x'),
        op('SysLogSources'),
        op('SysLogRead', 'script', '1'),
        op('SysServiceList', 'agent'),
        op('SysServiceStatus', 'agent'),
        op('ClipboardSet', 'copied'),
      ],
    });
    expect(outputs(steps)).toEqual([
      'x',
      'script\nprocesses',
      expect.stringMatching(/SysLogSources \(\/operations\/1\) ok/),
      expect.stringMatching(/^agent: running/),
      'running',
      expect.stringContaining('6 characters'),
    ]);
    expect(body).toMatchObject({ result: { clipboard: 'copied' } });
  });
});

describe('an outgoing request', () => {
  it('goes through the gate, and the record counts it', async () => {
    const { body, steps } = await run({
      operations: [
        op('HttpGet', 'http://a.outside.example/got'),
        op('HttpPost', 'http://a.outside.example/posted', '{"a":1}'),
        op('NetHttpStatus', 'http://a.outside.example/status'),
      ],
    });
    expect(outputs(steps)).toEqual([...Array.from({ length: 2 }, () => 'hello from outside\n'), '200']);
    expect(scripts.received).toEqual(['GET /got', 'POST /posted {"a":1}', 'GET /status']);
    expect((await verifiedReceipt(stack, world, body.operation_id as string)).record).toMatchObject({
      egress_count: 3,
    });
  });

  it('with an external effect waits for a person, and continues after the approval', async () => {
    const { body } = await run({
      operations: [
        op('HttpPut', 'http://b.outside.example/put', 'x'),
        op('HttpDelete', 'http://b.outside.example/gone'),
      ],
    });
    expect([body.state, scripts.received]).toEqual(['held', []]);
    expect((await approveShown(world.operator, body.approval_id)).status).toBe(200);
    const ended = await world.until(body.operation_id as string, ['committed', 'no_op', 'rolled_back']);
    expect(ended).toMatchObject({ result: { result: { status: 'completed' } } });
    expect(scripts.received).toEqual(['PUT /put x', 'DELETE /gone']);
  });

  it('over TLS goes through a tunnel, and the container verifies certificates', async () => {
    const { steps } = await run({
      options: { failureMode: 'ContinueOnError' },
      operations: [
        op('NetTlsCert', 'a.outside.example'),
        op('NetTcpConnect', 'a.outside.example', '443'),
        op('HttpGet', 'https://a.outside.example/'),
      ],
    });
    expect(outputs(steps)).toEqual([
      expect.stringContaining('trusted: False'),
      expect.stringMatching(/^connected in \d+\.\d ms$/),
      expect.stringMatching(/^failed: no TLS with/),
    ]);
    expect(scripts.received).toEqual([]);
  });

  it('for a name or a connection is answered by the gate, and listed', async () => {
    const { body, steps } = await run({
      options: { failureMode: 'ContinueOnError' },
      operations: [
        op('NetDns', 'a.outside.example'),
        op('NetPing', 'a.outside.example', '2'),
        op('NetDns', 'elsewhere.example'),
      ],
    });
    expect(outputs(steps)).toEqual([
      expect.stringMatching(/^[0-9.]+$/),
      expect.stringMatching(/^TCP connections to a\.outside\.example:443 \(no ICMP\)\nanswered: 2 of 2\n/),
      expect.stringContaining('token.scope'),
    ]);
    const { items } = (await world.operator.get(`/v1/operations/${body.operation_id as string}/requests`)).body as {
      items: readonly { method: string; target: string }[];
    };
    expect(items.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'DNS a.outside.example',
      'CONNECT a.outside.example:443',
      'CONNECT a.outside.example:443',
      'DNS elsewhere.example',
    ]);
  });

  it('to a port that the token does not name is refused before anything runs', async () => {
    const { body } = await run({
      operations: [op('FileWrite', 'never.txt', 'x'), op('NetTcpConnect', 'a.outside.example', '993')],
    });
    expect(body).toMatchObject({ status: 'error', error: { code: 'token.scope' } });
    expect(await world.file('never.txt')).toBeNull();
  });

  it('outside the token is refused before anything runs', async () => {
    const { body } = await run({
      operations: [op('FileWrite', 'never.txt', 'x'), op('HttpGet', 'http://elsewhere.example/')],
    });
    expect(body).toMatchObject({ status: 'error', error: { code: 'token.scope' } });
    expect([scripts.received, await world.file('never.txt')]).toEqual([[], null]);
  });
});
