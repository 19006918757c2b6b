// SPDX-License-Identifier: Apache-2.0
import type { ReportReply, ShellAttachReply, ShellEnding } from '@writ/contract';
import { SHELL_SESSION } from '@writ/contract';
import { FakeShells, type FakeShell, type FakeShellProgram } from '@writ/sandbox';
import { InlineTaskRunner } from '@writ/worker-pool';
import { executorTasks } from '../calls/worker-tasks.ts';
import { callWork } from '../foundation/call-work.ts';
import { IMAGE, ScriptedKernel, tenantId } from '../specs/scripted-kernel.ts';
import type { Call, RunContext, Staged } from '../calls/runner.ts';
import { SessionRunner } from './session-runner.ts';
import { EgressGate } from '../egress/gate.ts';
import { LiveOutputs } from '../outputs/live-outputs.ts';
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
  echo: ({ out }) => ({ runs: (input) => (out(`you typed ${input}\r\n`), 0) }),
  type: ({ vars, out }) => ({ runs: () => (out(`you typed ${vars.get('kept') ?? ''}\r\n`), 0) }),
};
const VALUE = 'marker-31af-of-a-secret';
const COMMITTED: ReportReply = { v: 1, state: 'committed', tx_outcome: 'committed' };
const NO_OP: ReportReply = { v: 1, state: 'no_op', tx_outcome: 'no_op' };
const ROLLED_BACK: ReportReply = { v: 1, state: 'rolled_back', tx_outcome: 'rolled_back' };

let kernel: ScriptedKernel;
let shells: FakeShells;
let sessions: Sessions;
let outputs: LiveOutputs;
let runner: SessionRunner;
let root: string;
let shellId: string | null;
let endings: string[];
let attachReply: ShellAttachReply | null;
let isBehind: boolean;
let image: string;

beforeEach(async () => {
  kernel = await new ScriptedKernel().start();
  shells = new FakeShells(PROGRAMS);
  outputs = new LiveOutputs();
  [shellId, endings, attachReply, image, isBehind] = [null, [], null, IMAGE, false];
  const end = (ending: ShellEnding): Promise<void> => {
    endings.push(ending);
    shellId = null;
    return Promise.resolve();
  };
  sessions = new Sessions(
    { renewShell: () => Promise.resolve(true), endShell: (_shell, ending) => end(ending) },
    { sessionsMax: 1, idleMs: 60_000 },
  );
  runner = new SessionRunner({ shells, sessions, blobs: kernel.blobs, gate: closedGate(), outputs });
  root = await kernel.tree({ 'a.txt': 'one' });
});
afterEach(async () => {
  await sessions.close();
  await kernel.close();
});

/** A gate of calls that send nothing: session-egress.spec.ts has those that do. */
const closedGate = (): EgressGate => {
  const fail = (): Promise<never> => Promise.reject(new Error('nothing may leave'));
  return new EgressGate({ resolve: fail, dial: fail }, () => performance.now());
};

/** The context of a kernel with one session. */
const context = (): RunContext => ({
  signal: new AbortController().signal,
  work: callWork(new InlineTaskRunner(executorTasks), tenantId, new AbortController().signal),
  mode: 'run',
  recordNeed: () => undefined,
  confirmMayContinue: () => Promise.resolve(),
  announceEffectStarted: () => Promise.reject(new Error('no effect outside')),
  attachShell: (opens, id) => {
    if (attachReply !== null) return Promise.resolve(attachReply);
    if (shellId !== null)
      return Promise.resolve({ v: 1, verdict: 'yours', shell_id: shellId, ending: null, is_behind: isBehind });
    if (!opens) return Promise.resolve({ v: 1, verdict: 'ended', shell_id: null, ending: null });
    shellId = id;
    return Promise.resolve({ v: 1, verdict: 'opened', shell_id: id, ending: null });
  },
  endShell: (_id, ending) => {
    endings.push(ending);
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
  resources: [],
  imageDigest: image,
  args,
  root: on,
  fs: [[{ path: '', read: true, write: true }]],
  net: [],
  secrets: {},
  resourceSecrets: {},
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

it("a session in a workspace that doesn't fit into a container opens no shell and reports the limit", async () => {
  expect(await ask({ command: 'look' }, ROLLED_BACK, await kernel.treeOfSize(257))).toMatchObject({
    ended: 'limit',
    error: { code: 'limit.exceeded', message: expect.stringContaining('257 MiB') },
    delta: null,
  });
  expect([shells.opened.length, endings]).toEqual([0, ['closed']]);
});

it('a command opens a shell on the snapshot, and the next one reuses it', async () => {
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

it("a command's changes are staged once, whatever its exit code", async () => {
  expect(await ask({ command: 'write' }, COMMITTED)).toMatchObject({
    ended: 'exited',
    exitCode: 3,
    delta: { base: `snap_${root}`, changes: [{ path: 'made', before: null }] },
  });
  expect((await ask({ command: 'look' })).delta?.changes).toEqual([]);
});

it.each<[string, ReportReply | null, ShellEnding]>([
  ['is rolled back', ROLLED_BACK, 'diverged'],
  ['is held', { v: 1, state: 'held', tx_outcome: null }, 'diverged'],
  ['has no reply', null, 'lost'],
])('an effect that %s ends the shell', async (_what, reply, ending) => {
  await ask({ command: 'write' }, reply);
  expect(endings).toEqual([ending]);
  expect(shell().isClosed).toBe(true);
  expect((await ask({ command: 'look' })).result).toMatchObject({ shell: 'started', output: 'a.txt\n' });
});

it('a rolled-back call without changes keeps the shell, and one without a reply ends it', async () => {
  await ask({ command: 'look' }, ROLLED_BACK);
  expect(endings).toEqual([]);
  await ask({ command: 'look' }, null);
  expect(endings).toEqual(['lost']);
});

it("before a command, changes at the head are copied into the shell's files", async () => {
  await ask({ command: 'look' });
  const newer = await kernel.tree({ 'b/c.txt': 'two' });
  expect((await ask({ command: 'look' }, NO_OP, newer)).result).toMatchObject({ output: 'b b/c.txt\n' });
});

it('a path that changed at the head and in the shell is a conflict: nothing runs, and the shell lives', async () => {
  await ask({ command: 'look' });
  shell().files.set('a.txt', file('a.txt', 'uncommitted'));
  const newer = await kernel.tree({ 'a.txt': 'theirs' });
  expect(await ask({ command: 'write' }, ROLLED_BACK, newer)).toMatchObject({
    ended: 'failed',
    error: { code: 'session.conflict' },
    delta: null,
  });
  expect([shell().files.has('made'), endings]).toEqual([false, []]);
});

it('a command that ends on a newer snapshot stages its delta on that one when other files changed', async () => {
  await ask({ command: 'ask' });
  const newer = await kernel.tree({ 'a.txt': 'one', 'other.txt': 'x' });
  expect((await ask({ input: 'y' }, COMMITTED, newer)).delta).toMatchObject({
    base: `snap_${newer}`,
    changes: [{ path: 'made' }],
  });
});

it('a command that ends on a newer snapshot with the same files changed ends the session', async () => {
  await ask({ command: 'ask' });
  const newer = await kernel.tree({ 'a.txt': 'one', made: 'theirs' });
  expect(await ask({ input: 'y' }, ROLLED_BACK, newer)).toMatchObject({
    ended: 'failed',
    error: { code: 'session.conflict' },
    delta: null,
  });
  expect(shell().isClosed).toBe(true);
});

it('a command while another runs is busy, and input while none runs is idle', async () => {
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

  it('runs nothing after it waited for its turn, and the shell lives on', async () => {
    const first = await runner.run(call({ command: 'write' }), context());
    const second = runner.run(call({ command: 'leave' }), context());
    await new Promise((resolve) => setImmediate(resolve));
    isBehind = true;
    await first.settle?.(COMMITTED);
    const staged = await second;
    expect(staged).toMatchObject(busy);
    isBehind = false;
    await staged.settle?.(ROLLED_BACK);
    const newer = await kernel.tree({ 'a.txt': 'one', made: 'new' });
    expect((await ask({ command: 'look' }, NO_OP, newer)).result).toMatchObject({
      shell: 'open',
      output: 'a.txt made\n',
    });
    expect(endings).toEqual([]);
  });

  it('runs nothing when it arrives later', async () => {
    isBehind = true;
    expect(await ask({ command: 'leave' }, ROLLED_BACK)).toMatchObject(busy);
    expect([shell().isClosed, endings]).toEqual([false, []]);
  });

  it('is refused as busy also when the shell has ended', async () => {
    attachReply = { v: 1, verdict: 'ended', shell_id: null, ending: null, is_behind: true };
    expect(await ask({ command: 'look' }, ROLLED_BACK)).toMatchObject(busy);
    expect(shells.opened).toHaveLength(1);
  });

  it('does not apply to input for a running program', async () => {
    await ask({ command: 'ask' });
    isBehind = true;
    expect(await ask({ input: 'y' }, COMMITTED)).toMatchObject({
      ended: 'exited',
      delta: { changes: [{ path: 'made' }] },
    });
  });
});

it('a call whose attach request fails ends its turn, and the shell lives on', async () => {
  await ask({ command: 'look' });
  const kernelContext = context();
  const silent: RunContext = {
    ...kernelContext,
    attachShell: (opens, id) =>
      opens ? kernelContext.attachShell(opens, id) : Promise.reject(new Error('nobody answers')),
  };
  await expect(runner.run(call({ command: 'leave' }), silent)).rejects.toThrow('nobody answers');
  expect((await ask({ command: 'look' })).result).toMatchObject({ shell: 'open' });
});

it('a shell that a person killed runs no waiting command, which reports the kill', async () => {
  await ask({ command: 'look' });
  const kernelContext = context();
  const killed: RunContext = {
    ...kernelContext,
    attachShell: (opens, id) =>
      opens
        ? kernelContext.attachShell(opens, id)
        : Promise.resolve({ v: 1, verdict: 'ended', shell_id: null, ending: 'killed' }),
  };
  const staged = await runner.run(call({ command: 'leave' }), killed);
  expect(staged).toMatchObject({
    ended: 'failed',
    error: { code: 'session.lost', message: expect.stringContaining('killed') as string },
  });
});

it('an exit ends the shell, and so does close', async () => {
  expect(await ask({ command: 'leave' })).toMatchObject({ ended: 'exited', exitCode: 4, result: { shell: 'ended' } });
  await ask({ command: 'look' });
  expect(await ask({ close: true })).toMatchObject({ ended: 'exited', result: { shell: 'ended' } });
  expect(endings).toEqual(['closed', 'closed']);
});

it("a session beyond the executor's limit is refused and opens nothing", async () => {
  await ask({ command: 'look' });
  shellId = null;
  expect(await ask({ command: 'look' })).toMatchObject({ ended: 'failed', error: { code: 'sandbox.unavailable' } });
  expect(shells.opened).toHaveLength(1);
});

it('a shell of another executor is busy, as is one that starts; one of an earlier process is lost', async () => {
  attachReply = { v: 1, verdict: 'elsewhere', shell_id: 'f'.repeat(32), ending: null };
  expect(await ask({ command: 'look' })).toMatchObject({ error: { code: 'session.busy' } });
  [attachReply, shellId] = [null, 'e'.repeat(32)];
  const busy = await sessions.renewedWhile({ tenant_id: tenantId, shell_id: shellId }, () => ask({ command: 'look' }));
  const codes = [busy, await ask({ command: 'look' })].map(({ error }) => error?.code);
  expect([codes, endings]).toEqual([['session.busy', 'session.lost'], ['lost']]);
});

it('a shell that dies between calls is reported as lost', async () => {
  await ask({ command: 'look' });
  await shell().close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(endings).toEqual(['lost']);
});

it('a shell ends when its calls need another image, and runs no call in the old image', async () => {
  await ask({ command: 'look' });
  const before = shell();
  image = `sha256:${'2'.repeat(64)}`;
  expect(await ask({ command: 'write' })).toMatchObject({
    ended: 'failed',
    error: { code: 'session.lost', message: expect.stringContaining('another image') },
  });
  expect(endings).toEqual(['lost']);
  expect((await ask({ command: 'look' })).result).toMatchObject({ shell: 'started' });
  expect(shell()).not.toBe(before);
});

it('a shell ends when the tenant changed which paths calls may reach, and serves no call with the old files', async () => {
  const scoped = (path: string): Partial<Call> => ({
    fs: [
      [{ path: '', read: true, write: true }],
      [
        { path: '', read: true, write: true },
        { path, read: false, write: false, denied: true, anywhere: true },
      ],
    ],
  });
  await ask({ command: 'look' }, NO_OP, root, scoped('.ssh'));
  expect(await ask({ command: 'look' }, NO_OP, root, scoped('.ssh'))).toMatchObject({ ended: 'exited' });
  const before = shell();
  expect(await ask({ command: 'look' }, NO_OP, root, scoped('keys'))).toMatchObject({
    ended: 'failed',
    error: { code: 'session.lost', message: expect.stringContaining('changed which paths') },
  });
  expect(endings).toEqual(['lost']);
  await ask({ command: 'look' }, NO_OP, root, scoped('keys'));
  expect(shell()).not.toBe(before);
});

describe('a shell that received a secret', () => {
  const outputOf = ({ result }: Staged): string => (result as { output: string }).output;
  const withSecret = (value: string): Partial<Call> => ({ secrets: { KEY: value }, env: { WRIT_SECRET_KEY: value } });
  beforeEach(async () => {
    expect(outputOf(await ask({ command: 'keep' }, NO_OP, root, withSecret(VALUE)))).toBe('kept ***KEY***\n');
  });

  it('redacts it from later calls: split over turns, split by colour codes, and in answers to input', async () => {
    expect(outputOf(await ask({ command: 'half' }))).toBe('.');
    expect(outputOf(await ask({ command: 'rest', ansi: true }))).toBe('***KEY***\r\n');
    expect(outputOf(await ask({ command: 'coloured' }))).toBe('***KEY***');
    await ask({ command: 'type' });
    expect(outputOf(await ask({ input: 'y' }))).toBe('you typed ***KEY***\n');
  });

  it("can't commit it in a file, and ends when it tries", async () => {
    expect(await ask({ command: 'save' }, ROLLED_BACK)).toMatchObject({
      ended: 'invalid',
      error: { code: 'secret.in_delta', message: expect.stringContaining('`KEY`') as string },
      delta: null,
      blobs: [],
    });
    expect(endings).toEqual(['diverged']);
  });

  it('still redacts the previous value after the name got another value', async () => {
    expect(outputOf(await ask({ command: 'keep' }, NO_OP, root, withSecret('another-value-5e')))).toBe(
      'kept ***KEY***\n',
    );
    expect(outputOf(await ask({ command: 'half' }))).toBe('.');
    expect(outputOf(await ask({ command: 'rest' }))).toBe('***KEY***\n');
    expect(await ask({ command: 'save' }, ROLLED_BACK)).toMatchObject({ error: { code: 'secret.in_delta' } });
  });

  it('redacts a secret that was typed, from its echo and from all that follows', async () => {
    await ask({ command: 'echo' });
    const typed = { secrets: { PASSWORD: 'typed-value-77' } };
    expect(outputOf(await ask({ input: 'typed-value-77' }, NO_OP, root, typed))).toBe('you typed ***PASSWORD***\n');
    await ask({ command: 'echo' });
    expect(outputOf(await ask({ input: 'typed-value-77' }))).toBe('you typed ***PASSWORD***\n');
    expect(outputs.read(shellId ?? '')).toMatchObject({ output: '', withheld: true });
  });

  it('refuses to type a secret with control characters, whose echo would be another text', async () => {
    await ask({ command: 'type' });
    for (const value of ['two\nlines-7c', 'es\u001bcape-7c', 'de\u007flete-7c'])
      expect(await ask({ input: value }, ROLLED_BACK, root, { secrets: { KEY: value } })).toMatchObject({
        ended: 'failed',
        error: { code: 'args.invalid', message: expect.stringContaining('`KEY` holds control characters') as string },
      });
    await ask({ ctrl: 'c' });
    expect(await ask({ command: 'keep' }, NO_OP, root, { secrets: { KEY: 'two\nlines-7c' } })).toMatchObject({
      ended: 'exited',
    });
  });

  it('withholds its live output from observers', async () => {
    expect(outputs.read(shellId ?? '')).toMatchObject({ output: '', withheld: true });
  });

  it('refuses secrets beyond the size limit', async () => {
    expect(await ask({ command: 'keep' }, ROLLED_BACK, root, withSecret('x'.repeat(65_537)))).toMatchObject({
      ended: 'failed',
      error: { code: 'limit.exceeded' },
    });
  });
});
