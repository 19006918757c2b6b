// SPDX-License-Identifier: Apache-2.0
import type { ReportReply, ShellAttachReply, ShellEnding } from '@writ/contract';
import { SHELL_SESSION } from '@writ/contract';
import { FakeShells, type FakeShell, type FakeShellProgram } from '@writ/sandbox';
import { InlineWork } from '@writ/worker-pool';
import { executorTasks } from '../calls/worker-tasks.ts';
import { callWork } from '../foundation/call-work.ts';
import { IMAGE, ScriptedKernel, tenantId } from '../specs/scripted-kernel.ts';
import type { Call, RunContext, Staged } from '../calls/runner.ts';
import { SessionRunner } from './session-runner.ts';
import { Outputs } from '../outputs/outputs.ts';
import { Sessions } from './sessions.ts';

const file = (path: string, text: string) => ({ path, kind: 'file', mode: '644', bytes: Buffer.from(text) }) as const;
const PROGRAMS: Readonly<Record<string, FakeShellProgram>> = {
  write: ({ files }) => (files.set('made', file('made', 'new')), 3),
  look: ({ out, files }) => (out(`\u001b[31m${[...files.keys()].sort().join(' ')}\u001b[0m\r\n`), 0),
  ask: ({ files }) => ({ runs: () => (files.set('made', file('made', 'asked')), 0) }),
  leave: () => ({ exit: 4 }),
  keep: ({ vars, out }) => (
    vars.set('kept', vars.get('WRIT_SECRET_KEY') ?? ''),
    out(`kept ${vars.get('kept') ?? ''}\r\n`),
    0
  ),
  half: ({ vars, out }) => (out(`.${(vars.get('kept') ?? '').slice(0, 9)}`), 0),
  rest: ({ vars, out }) => (out(`${(vars.get('kept') ?? '').slice(9)}\r\n`), 0),
  coloured: ({ vars, out }) => (out([...(vars.get('kept') ?? '')].join('\u001b[0m')), 0),
  save: ({ vars, files }) => (
    files.set('made', file('made', Buffer.from(vars.get('kept') ?? '').toString('base64'))),
    0
  ),
  type: ({ vars, out }) => ({ runs: () => (out(`you typed ${vars.get('kept') ?? ''}\r\n`), 0) }),
};
const VALUE = 'marker-31af-of-a-secret';
const COMMITTED: ReportReply = { v: 1, state: 'committed', tx_outcome: 'committed' };
const NO_OP: ReportReply = { v: 1, state: 'no_op', tx_outcome: 'no_op' };
const ROLLED_BACK: ReportReply = { v: 1, state: 'rolled_back', tx_outcome: 'rolled_back' };

let kernel: ScriptedKernel;
let shells: FakeShells;
let sessions: Sessions;
let outputs: Outputs;
let runner: SessionRunner;
let root: string;
let shellId: string | null;
let said: string[];
let nowElsewhere: ShellAttachReply | null;
let isBehind: boolean;
let image: string;

beforeEach(async () => {
  kernel = await new ScriptedKernel().start();
  shells = new FakeShells(PROGRAMS);
  outputs = new Outputs();
  [shellId, said, nowElsewhere, image, isBehind] = [null, [], null, IMAGE, false];
  const end = (ending: ShellEnding): Promise<void> => {
    said.push(ending);
    shellId = null;
    return Promise.resolve();
  };
  sessions = new Sessions(
    { renewShell: () => Promise.resolve(true), endShell: (_shell, ending) => end(ending) },
    { sessionsMax: 1, idleMs: 60_000 },
  );
  runner = new SessionRunner({ shells, sessions, blobs: kernel.blobs, outputs });
  root = await kernel.tree({ 'a.txt': 'one' });
});
afterEach(async () => {
  await sessions.close();
  await kernel.close();
});

/** A kernel that keeps one session. */
const context = (): RunContext => ({
  signal: new AbortController().signal,
  work: callWork(new InlineWork(executorTasks), tenantId, new AbortController().signal),
  mode: 'run',
  askedFor: () => undefined,
  confirmStanding: () => Promise.resolve(),
  announceEffectStarted: () => Promise.reject(new Error('no effect outside')),
  attachShell: (opens, id) => {
    if (nowElsewhere !== null) return Promise.resolve(nowElsewhere);
    if (shellId !== null)
      return Promise.resolve({ v: 1, verdict: 'yours', shell_id: shellId, ending: null, is_behind: isBehind });
    if (!opens) return Promise.resolve({ v: 1, verdict: 'ended', shell_id: null, ending: null });
    shellId = id;
    return Promise.resolve({ v: 1, verdict: 'opened', shell_id: id, ending: null });
  },
  endShell: (_id, ending) => {
    said.push(ending);
    shellId = null;
    return Promise.resolve();
  },
});
const call = (args: Record<string, unknown>, on = root): Call => ({
  tenantId,
  operationId: 'op',
  workspaceId: 'wsp',
  attempt: 1,
  toolId: SHELL_SESSION.tool_id,
  cli: null,
  provider: null,
  imageDigest: image,
  args,
  root: on,
  fs: [[{ path: '', read: true, write: true }]],
  net: [],
  secrets: {},
  limits: { ...SHELL_SESSION.limits },
  nodes: new Map(),
});
async function ask(
  args: Record<string, unknown>,
  reply: ReportReply | null = NO_OP,
  on = root,
  given: Partial<Call> = {},
): Promise<Staged> {
  const staged = await runner.run({ ...call(args, on), ...given }, context());
  await staged.settle?.(reply);
  return staged;
}
const shell = (): FakeShell => shells.opened.at(-1)!;

it('in a workspace that fits into no container opens no shell, and says so', async () => {
  expect(await ask({ command: 'look' }, ROLLED_BACK, await kernel.heavy(257))).toMatchObject({
    ended: 'limit',
    error: { code: 'limit.exceeded', message: expect.stringContaining('257 MiB') },
    delta: null,
  });
  expect([shells.opened.length, said]).toEqual([0, ['closed']]);
});

it('is opened on the snapshot by a command, and found again', async () => {
  expect(await ask({ command: 'look' })).toMatchObject({
    ended: 'exited',
    exitCode: 0,
    result: { shell: 'started', output: 'a.txt\n', running: false },
    delta: { changes: [] },
  });
  expect((await ask({ command: 'look', ansi: true })).result).toMatchObject({
    shell: 'open',
    output: '\u001b[31ma.txt\u001b[0m\r\n',
  });
  expect(shells.opened).toHaveLength(1);
});

it('stages what differs whatever the status, and stages it once', async () => {
  expect(await ask({ command: 'write' }, COMMITTED)).toMatchObject({
    ended: 'exited',
    exitCode: 3,
    delta: { base: `snap_${root}`, changes: [{ path: 'made', before: null }] },
  });
  expect((await ask({ command: 'look' })).delta?.changes).toEqual([]);
});

it.each<[string, ReportReply | null, ShellEnding]>([
  ['was refused', ROLLED_BACK, 'diverged'],
  ['waits for a person', { v: 1, state: 'held', tx_outcome: null }, 'diverged'],
  ['nobody heard of', null, 'lost'],
])('an effect that %s ends the shell', async (_what, reply, ending) => {
  await ask({ command: 'write' }, reply);
  expect(said).toEqual([ending]);
  expect(shell().isClosed).toBe(true);
  expect((await ask({ command: 'look' })).result).toMatchObject({ shell: 'started', output: 'a.txt\n' });
});

it('a call without an effect that is refused leaves the shell as it is; one that nobody heard of does not', async () => {
  await ask({ command: 'look' }, ROLLED_BACK);
  expect(said).toEqual([]);
  await ask({ command: 'look' }, null);
  expect(said).toEqual(['lost']);
});

it('a command is on the newest snapshot: what changed at the head is brought in before it', async () => {
  await ask({ command: 'look' });
  const newer = await kernel.tree({ 'b/c.txt': 'two' });
  expect((await ask({ command: 'look' }, NO_OP, newer)).result).toMatchObject({ output: 'b b/c.txt\n' });
});

it('what changed at the head and here, not told yet, is a conflict: nothing runs, and the shell lives', async () => {
  await ask({ command: 'look' });
  shell().files.set('a.txt', file('a.txt', 'untold'));
  const newer = await kernel.tree({ 'a.txt': 'theirs' });
  expect(await ask({ command: 'write' }, ROLLED_BACK, newer)).toMatchObject({
    ended: 'failed',
    error: { code: 'session.conflict' },
    delta: null,
  });
  expect([shell().files.has('made'), said]).toEqual([false, []]);
});

it('a command that ends on a newer snapshot is told of on that one, where the files are others', async () => {
  await ask({ command: 'ask' });
  const newer = await kernel.tree({ 'a.txt': 'one', 'other.txt': 'x' });
  expect((await ask({ input: 'y' }, COMMITTED, newer)).delta).toMatchObject({
    base: `snap_${newer}`,
    changes: [{ path: 'made' }],
  });
});

it('and ends the session where they are the same', async () => {
  await ask({ command: 'ask' });
  const newer = await kernel.tree({ 'a.txt': 'one', made: 'theirs' });
  expect(await ask({ input: 'y' }, ROLLED_BACK, newer)).toMatchObject({
    ended: 'failed',
    error: { code: 'session.conflict' },
    delta: null,
  });
  expect(shell().isClosed).toBe(true);
});

it('tells apart a command while another runs, and input while none does', async () => {
  expect(await ask({ input: 'y' })).toMatchObject({ ended: 'failed', error: { code: 'session.idle' } });
  expect(await ask({ command: 'ask' })).toMatchObject({ ended: 'exited', exitCode: null, result: { running: true } });
  expect(await ask({ command: 'look' })).toMatchObject({ ended: 'failed', error: { code: 'session.busy' } });
  expect(await ask({ ctrl: 'c' })).toMatchObject({ ended: 'exited', exitCode: 130, result: { running: false } });
  expect(await ask({ input: 'y' })).toMatchObject({ ended: 'failed', error: { code: 'session.idle' } });
});

describe('a command that was decided before another of its session committed', () => {
  const busy = {
    ended: 'failed',
    error: { code: 'session.busy', message: expect.stringContaining('has committed since') as string },
    delta: null,
  };
  beforeEach(async () => {
    await ask({ command: 'look' });
  });

  it('runs nothing where it has waited for its turn meanwhile, and the shell goes on', async () => {
    const first = await runner.run(call({ command: 'write' }), context());
    const second = runner.run(call({ command: 'leave' }), context());
    await new Promise((resolve) => setImmediate(resolve));
    isBehind = true;
    await first.settle?.(COMMITTED);
    const told = await second;
    expect(told).toMatchObject(busy);
    isBehind = false;
    await told.settle?.(ROLLED_BACK);
    const newer = await kernel.tree({ 'a.txt': 'one', made: 'new' });
    expect((await ask({ command: 'look' }, NO_OP, newer)).result).toMatchObject({
      shell: 'open',
      output: 'a.txt made\n',
    });
    expect(said).toEqual([]);
  });

  it('runs nothing where it comes later still', async () => {
    isBehind = true;
    expect(await ask({ command: 'leave' }, ROLLED_BACK)).toMatchObject(busy);
    expect([shell().isClosed, said]).toEqual([false, []]);
  });

  it('is told so where the shell is no more, too', async () => {
    nowElsewhere = { v: 1, verdict: 'ended', shell_id: null, ending: null, is_behind: true };
    expect(await ask({ command: 'look' }, ROLLED_BACK)).toMatchObject(busy);
    expect(shells.opened).toHaveLength(1);
  });

  it('is no other than one whose program takes input: that is asked for by what was shown', async () => {
    await ask({ command: 'ask' });
    isBehind = true;
    expect(await ask({ input: 'y' }, COMMITTED)).toMatchObject({
      ended: 'exited',
      delta: { changes: [{ path: 'made' }] },
    });
  });
});

it('a call that is not told whether it may run gives its turn back, and the shell goes on', async () => {
  await ask({ command: 'look' });
  const asks = context();
  const silent: RunContext = {
    ...asks,
    attachShell: (opens, id) => (opens ? asks.attachShell(opens, id) : Promise.reject(new Error('nobody answers'))),
  };
  await expect(runner.run(call({ command: 'leave' }), silent)).rejects.toThrow('nobody answers');
  expect((await ask({ command: 'look' })).result).toMatchObject({ shell: 'open' });
});

it('one that a person killed while a command waited for its turn runs nothing, and says so', async () => {
  await ask({ command: 'look' });
  const asks = context();
  const killed: RunContext = {
    ...asks,
    attachShell: (opens, id) =>
      opens
        ? asks.attachShell(opens, id)
        : Promise.resolve({ v: 1, verdict: 'ended', shell_id: null, ending: 'killed' }),
  };
  const told = await runner.run(call({ command: 'leave' }), killed);
  expect(told).toMatchObject({
    ended: 'failed',
    error: { code: 'session.lost', message: expect.stringContaining('killed') as string },
  });
});

it('an exit ends it, and so does a wish', async () => {
  expect(await ask({ command: 'leave' })).toMatchObject({ ended: 'exited', exitCode: 4, result: { shell: 'ended' } });
  await ask({ command: 'look' });
  expect(await ask({ close: true })).toMatchObject({ ended: 'exited', result: { shell: 'ended' } });
  expect(said).toEqual(['closed', 'closed']);
});

it('beyond as many as may live here is told so, and opens nothing', async () => {
  await ask({ command: 'look' });
  shellId = null;
  expect(await ask({ command: 'look' })).toMatchObject({ ended: 'failed', error: { code: 'sandbox.unavailable' } });
  expect(shells.opened).toHaveLength(1);
});

it('one that another executor has, and one of an earlier life of this one, are told apart', async () => {
  nowElsewhere = { v: 1, verdict: 'elsewhere', shell_id: 'f'.repeat(32), ending: null };
  expect(await ask({ command: 'look' })).toMatchObject({ error: { code: 'session.busy' } });
  [nowElsewhere, shellId] = [null, 'e'.repeat(32)];
  expect(await ask({ command: 'look' })).toMatchObject({ error: { code: 'session.lost' } });
  expect(said).toEqual(['lost']);
});

it('a shell that dies between calls is said to be lost', async () => {
  await ask({ command: 'look' });
  await shell().close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(said).toEqual(['lost']);
});

it('ends when its calls are to run in another image, and no call runs in the one that stands', async () => {
  await ask({ command: 'look' });
  const before = shell();
  image = `sha256:${'2'.repeat(64)}`;
  expect(await ask({ command: 'write' })).toMatchObject({
    ended: 'failed',
    error: { code: 'session.lost', message: expect.stringContaining('another image') },
  });
  expect(said).toEqual(['lost']);
  expect((await ask({ command: 'look' })).result).toMatchObject({ shell: 'started' });
  expect(shell()).not.toBe(before);
});

describe('a shell that was given a secret', () => {
  const outputOf = ({ result }: Staged): string => (result as { output: string }).output;
  const given = (value: string): Partial<Call> => ({ secrets: { KEY: value }, env: { WRIT_SECRET_KEY: value } });
  beforeEach(async () => {
    expect(outputOf(await ask({ command: 'keep' }, NO_OP, root, given(VALUE)))).toBe('kept ***KEY***\n');
  });

  it('tells it in no later call: not cut in two by turns, not by colours, not in answer to what is typed', async () => {
    expect(outputOf(await ask({ command: 'half' }))).toBe('.');
    expect(outputOf(await ask({ command: 'rest', ansi: true }))).toBe('***KEY***\r\n');
    expect(outputOf(await ask({ command: 'coloured' }))).toBe('***KEY***');
    await ask({ command: 'type' });
    expect(outputOf(await ask({ input: 'y' }))).toBe('you typed ***KEY***\n');
  });

  it('leaves it in no file, and ends where it tries to', async () => {
    expect(await ask({ command: 'save' }, ROLLED_BACK)).toMatchObject({
      ended: 'invalid',
      error: { code: 'secret.in_delta', message: expect.stringContaining('`KEY`') as string },
      delta: null,
      blobs: [],
    });
    expect(said).toEqual(['diverged']);
  });

  it('tells the value before neither, once the name stands for another one', async () => {
    expect(outputOf(await ask({ command: 'keep' }, NO_OP, root, given('another-value-5e')))).toBe('kept ***KEY***\n');
    expect(outputOf(await ask({ command: 'half' }))).toBe('.');
    expect(outputOf(await ask({ command: 'rest' }))).toBe('***KEY***\n');
    expect(await ask({ command: 'save' }, ROLLED_BACK)).toMatchObject({ error: { code: 'secret.in_delta' } });
  });

  it('shows nobody who looks on what comes out of it', async () => {
    expect(outputs.read(shellId ?? '')).toMatchObject({ output: '', withheld: true });
  });

  it('is given no more than fits', async () => {
    expect(await ask({ command: 'keep' }, ROLLED_BACK, root, given('x'.repeat(65_537)))).toMatchObject({
      ended: 'failed',
      error: { code: 'limit.exceeded' },
    });
  });
});
