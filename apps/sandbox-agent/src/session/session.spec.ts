// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentMessage, EntryHead, HostMessage, TurnOrder } from '@writ/sandbox';
import { Agent } from '../agent.ts';
import { makePipes } from '../pipes.ts';

let root: string;
let scratch: string;
let received: AgentMessage[];
let onMessage: () => void;
let agent: Agent;
let turns: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-workspace-'));
  scratch = mkdtempSync(join(tmpdir(), 'writ-scratch-'));
  [received, turns] = [[], 0];
  onMessage = () => undefined;
  const endAll = ({ pid }: { pid?: number | undefined }) => {
    // Kills only its process group: this test runs outside of a container.
    if (pid !== undefined) kill(-pid);
  };
  agent = new Agent({ root, scratch, pipes: makePipes(root)[0], endAll }, (message) => {
    // The bytes are valid only during the call.
    received.push('bytes' in message ? { ...message, bytes: Buffer.from(message.bytes) } : message);
    onMessage();
  });
});
afterEach(() => {
  for (const child of readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' '))
    if (child !== '') kill(-Number(child));
  // A killed process may still be writing.
  for (const folder of [root, scratch]) rmSync(folder, { recursive: true, maxRetries: 10, retryDelay: 100 });
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}

const ORDER: Omit<TurnOrder, 'turn'> = {
  command: null,
  input: null,
  ctrl: null,
  yield_ms: 15_000,
  cols: null,
  rows: null,
  output_bytes_max: 10_000,
  delta_bytes_max: 1000,
  delta_files_max: 10,
};
const headOf = (path: string, text: string): EntryHead => ({
  kind: 'file',
  path,
  mode: '644',
  size: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
});
const file = (path: string, text: string): HostMessage => ({
  type: 'file',
  head: headOf(path, text),
  bytes: Buffer.from(text),
});
const open = (...files: HostMessage[]): void => {
  for (const message of [...files, { type: 'shell', env: {}, cols: 80, rows: 24 } satisfies HostMessage])
    agent.handle(message);
};

/** Runs the action and waits for such a message of the agent; resolves with all messages since. */
async function messagesUntil(isLast: (message: AgentMessage) => boolean, act: () => void): Promise<AgentMessage[]> {
  received = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  onMessage = () => {
    if (received.some(isLast)) resolve(undefined);
  };
  act();
  await promise;
  return received;
}

async function turn(order: Partial<TurnOrder>) {
  const messages = await messagesUntil(
    ({ type }) => type === 'end' || type === 'fault',
    () => agent.handle({ type: 'turn', order: { ...ORDER, turn: ++turns, ...order } }),
  );
  const turned = messages.find((message) => message.type === 'turned');
  return {
    text: messages.flatMap((message) => (message.type === 'stdout' ? [message.bytes.toString()] : [])).join(''),
    changes: Object.fromEntries(
      messages.flatMap((message) =>
        message.type === 'change' ? [[message.path, message.after === null ? null : message.bytes.toString()]] : [],
      ),
    ),
    fault: messages.find((message) => message.type === 'fault'),
    ...(turned ?? {}),
  };
}

/**
 * Starts a command that keeps running, and waits until it has printed the expected output: a shell may start slowly.
 */
async function startCommand(command: string, shows: string) {
  let { text, ...last } = await turn({ command, yield_ms: 100 });
  while (last.state === 'running' && text !== shows) {
    const more = await turn({ yield_ms: 100 });
    text += more.text;
    last = more;
  }
  return { text, state: last.state, changes: last.changes, code: last.code };
}

async function check(...paths: { path: string; gone: boolean }[]): Promise<readonly string[]> {
  const answer = (
    await messagesUntil(
      ({ type }) => type === 'checked' || type === 'fault',
      () => agent.handle({ type: 'check', paths, last: true }),
    )
  )[0];
  return answer?.type === 'checked' ? answer.conflicts : [JSON.stringify(answer)];
}
const patch = (path: string, text: string | null): void =>
  agent.handle({
    type: 'patch',
    path,
    after: text === null ? null : headOf(path, text),
    bytes: Buffer.from(text ?? ''),
  });

describe('the state of a session shell', () => {
  test('directory, variables, functions and background jobs last from command to command', async () => {
    open();
    mkdirSync(join(root, 'd'));
    expect(await turn({ command: 'cd d; x=5; f() { echo "f $x"; }; sleep 1000 &' })).toMatchObject({
      state: 'idle',
      code: 0,
    });
    expect((await turn({ command: 'basename "$PWD"; f; jobs -r | wc -l; kill %1' })).text).toMatch(
      /^d\r\nf 5\r\n1\r\n/,
    );
  });

  test('each command reports its status, also one with a syntax error', async () => {
    open();
    expect([
      (await turn({ command: 'true' })).code,
      (await turn({ command: '(exit 7)' })).code,
      (await turn({ command: "echo '" })).code,
    ]).toEqual([0, 7, 2]);
  });

  test('a multi-line command with quotes, and one longer than a terminal line, run unchanged', async () => {
    open();
    const long = 'x'.repeat(20_000);
    expect(
      (await turn({ command: `cat <<'E'\nit's\t!! $HOME\nE\n: '${long}'; for i in 1 2; do\necho $i\ndone` })).text,
    ).toBe("it's\t!! $HOME\r\n1\r\n2\r\n");
  });

  test("a prompt that a command sets, like a virtual environment's, does not appear in the output", async () => {
    open();
    writeFileSync(
      join(root, 'activate'),
      '_OLD="${PS1:-}"\nPS1="(venv) ${PS1:-}"\nexport PS1\nPS2="more> "\nPS0="runs "\nPROMPT_COMMAND="echo prompted"\n',
    );
    expect(await turn({ command: '. ./activate' })).toMatchObject({ text: '', code: 0 });
    expect(await turn({ command: 'echo one\necho two' })).toMatchObject({ text: 'one\r\ntwo\r\n', code: 0 });
    expect(await turn({ command: 'PROMPT_COMMAND=("echo one" "echo two"); PS1="$ "; (exit 7)' })).toMatchObject({
      text: '',
      code: 7,
    });
    expect(await turn({ command: 'for i in 1 2; do\necho $i\ndone; false' })).toMatchObject({
      text: '1\r\n2\r\n',
      code: 1,
    });
    expect((await turn({ command: 'PS1="$ "; echo "$PS1"' })).text).toBe('$ \r\n');
  });

  test('an interrupted command reports its status, and the next one runs without a prompt', async () => {
    open();
    await startCommand('PS1="(venv) "; echo on; sleep 1000', 'on\r\n');
    expect(await turn({ ctrl: 'c' })).toMatchObject({ state: 'idle', code: 130 });
    expect(await turn({ command: 'echo next' })).toMatchObject({ text: 'next\r\n', code: 0 });
  });

  test('a program has a terminal of the requested size, and gets SIGWINCH when it changes', async () => {
    open();
    expect((await turn({ command: 'test -t 0 && test -t 1 && stty size' })).text).toBe('24 80\r\n');
    await turn({ command: 'trap "stty size </dev/tty" WINCH' });
    expect((await turn({ command: 'stty size', cols: 132, rows: 50 })).text).toMatch(/^(50 132\r\n)+$/);
  });
});

describe('the variables of a command', () => {
  const VALUE = 'it\'s "$(touch pwned)" `x`\\ \n two  \x01\x7f é ';
  const HEX = Buffer.from(VALUE).toString('hex');
  const shown = async (order: Partial<TurnOrder>): Promise<string> => (await turn(order)).text.trim();

  test('hold each value byte for byte, are in no environment, and are unset after the command', async () => {
    open();
    expect(
      await shown({
        command: 'printf %s "$A" | od -An -v -tx1 | tr -d " \\n"; echo " $B"; A=${A:+set} printenv A; printenv B',
        variables: { A: VALUE, B: 'b' },
      }),
    ).toMatch(new RegExp(`^${HEX} b\r\nset$`));
    expect(await turn({ command: 'echo "${A-none} ${B-none}"' })).toMatchObject({ text: 'none none\r\n', code: 0 });
    expect(await turn({ command: 'test "$A" = c && (exit 7)', variables: { A: 'c' } })).toMatchObject({
      text: '',
      code: 7,
    });
    expect(existsSync(join(root, 'pwned'))).toBe(false);
  });

  test('may have 64 KiB in all', async () => {
    open();
    const variables = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`V${n}`, String(n).repeat(8_192)]));
    expect(await shown({ command: 'echo ${#V0} ${#V7} ${V7:8190}', variables })).toBe('8192 8192 77');
  });

  test('appear in no process list, history, trace or descriptor of a program', async () => {
    open();
    await turn({ command: 'set -o history -xv; HISTFILE=$PWD/h' });
    const traced = await turn({
      command:
        'printf "%d\n" "${#A}"; tr "\\0" " " </proc/$$/cmdline; tr "\\0" "\\n" </proc/self/environ; ls /proc/self/fd; history; fc -l',
      variables: { A: 'marker-of-a-value' },
    });
    expect(traced.text).toContain('17');
    expect(traced.text).not.toContain('marker-of-a-value');
    expect(traced.text).not.toMatch(/\b(?:4|198)\r\n/);
    await turn({ command: 'set +xv; history -w' });
    expect(readFileSync(join(root, 'h'), 'utf8')).not.toContain('marker-of-a-value');
  });

  test('that an interrupted shell did not read are not used for the next command', async () => {
    open();
    // The first read is the shell's own and fails: the second one finds what it left on the pipe.
    expect(await shown({ command: 'true', variables: { A: 'a', B: 'b' } })).toBe('');
    await turn({ command: 'readonly Z=z' });
    expect(
      await turn({ command: 'echo never', variables: { Z: 'left-behind', Y: 'left-behind-too' } }),
    ).not.toMatchObject({ text: expect.stringContaining('never') });
    expect(await shown({ command: 'echo "$C $D"', variables: { C: 'c', D: 'd' } })).toBe('c d');
  });
});

describe('a command that keeps running', () => {
  test('ends the turn at its time limit with the output so far; later output comes with the next turn, and changes when the command ends', async () => {
    open();
    expect(await startCommand('echo a; echo 1 > made; read x; echo "got $x"', 'a\r\n')).toEqual({
      state: 'running',
      text: 'a\r\n',
      changes: {},
      code: null,
    });
    expect(await turn({ input: 'yes\n' })).toMatchObject({
      state: 'idle',
      code: 0,
      text: 'yes\r\ngot yes\r\n',
      changes: { made: '1\n' },
    });
  });

  test.each([
    ['c', 130],
    ['\\', 131],
    ['z', 148],
  ] as const)('the key %s ends its control of the terminal', async (ctrl, code) => {
    open();
    // A program that has printed `on` holds the terminal; the shell itself handles only the first of these keys.
    await startCommand('sh -c "echo on; sleep 1000"', 'on\r\n');
    expect(await turn({ ctrl })).toMatchObject({ state: 'idle', code });
  });

  test('the interrupt key ends a loop of the shell itself, and the shell lives', async () => {
    open();
    await startCommand('x=1; echo on; while :; do :; done', 'on\r\n');
    expect(await turn({ ctrl: 'c' })).toMatchObject({ state: 'idle', code: 130 });
    expect((await turn({ command: 'echo $x' })).text).toBe('1\r\n');
  });

  test('the end of input ends a program that reads', async () => {
    open();
    await startCommand('echo on; cat', 'on\r\n');
    expect(await turn({ ctrl: 'd' })).toMatchObject({ state: 'idle', code: 0 });
  });

  test('a command during another one, and input without one, are refused and not kept', async () => {
    open();
    expect(await turn({ input: 'echo typed > made\n' })).toMatchObject({ state: 'idle', refused: 'idle' });
    await startCommand('echo on; sleep 1000', 'on\r\n');
    expect(await turn({ command: 'echo x > made' })).toMatchObject({ state: 'running', refused: 'busy', changes: {} });
    await turn({ ctrl: 'c' });
    expect(await turn({ command: 'true' })).toMatchObject({ text: '', changes: {} });
    expect(existsSync(join(root, 'made'))).toBe(false);
  });
});

describe('the changes of a turn', () => {
  test('are sent once, whatever the exit status', async () => {
    open(file('old', 'x'), file('gone', 'x'), file('kept', 'x'));
    expect((await turn({ command: 'echo new > old; rm gone; mkdir d; false' })).changes).toEqual({
      old: 'new\n',
      gone: null,
      d: '',
    });
    expect((await turn({ command: 'true' })).changes).toEqual({});
  });

  test('of a background job are sent with the next turn', async () => {
    open();
    await turn({ command: '(until test -e go; do sleep 0.05; done; echo done > made) &' });
    writeFileSync(join(root, 'go'), '');
    let all: Record<string, string | null> = {};
    while (!('made' in all) || all.made === '') all = { ...all, ...(await turn({})).changes };
    expect(all).toMatchObject({ go: '', made: 'done\n' });
  });

  test('beyond the bounds are a fault', async () => {
    open();
    expect((await turn({ command: 'touch 1 2 3', delta_files_max: 2 })).fault).toMatchObject({ reason: 'delta_files' });
  });

  test('output beyond its bound is dropped and counted, and the shell lives on', async () => {
    open();
    const flooded = await turn({ command: 'head -c 50000 /dev/zero | tr "\\0" x', output_bytes_max: 100 });
    expect(flooded).toMatchObject({ state: 'idle', droppedBytes: 49_900 });
    expect((await turn({ command: 'echo on' })).text).toBe('on\r\n');
  });
});

describe('changes from the head', () => {
  test('are written, replaced and deleted in the workspace', async () => {
    open(file('a', '1'), file('d/b', '1'));
    await turn({ command: 'true' });
    expect(
      await check(
        { path: 'a', gone: false },
        { path: 'd/b', gone: true },
        { path: 'd', gone: true },
        { path: 'n/new', gone: false },
      ),
    ).toEqual([]);
    patch('d/b', null);
    patch('d', null);
    patch('a', '22');
    patch('n/new', '3');
    expect(await turn({ command: 'cat a n/new; ls' })).toMatchObject({
      text: expect.stringMatching(/^223a\s+n\r\n$/),
      changes: { n: '' },
    });
  });

  test('that conflict with unreported changes are reported, and nothing is written', async () => {
    open(file('a', '1'), file('d/b', '1'));
    await turn({ command: 'true' });
    writeFileSync(join(root, 'a'), 'mine');
    writeFileSync(join(root, 'd/unreported'), '');
    writeFileSync(join(root, 'fresh'), '');
    const paths = ['a', 'd/b', 'd', 'fresh'].map((path) => ({ path, gone: path !== 'fresh' && path !== 'a' }));
    expect(await check(...paths)).toEqual(['a', 'd', 'fresh']);
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('mine');
  });
});

describe('a hostile job', () => {
  test('that prints marks only ends a wait', async () => {
    open();
    const forged = await turn({
      command:
        'n=$(tr "\\0" "\\n" < /proc/$$/cmdline >/dev/null; echo 00); printf "\\e]133;W;$n;0\\a"; echo shown; sleep 0.1',
    });
    expect(forged).toMatchObject({ state: 'idle', text: expect.stringContaining('shown') });
  });

  test('that exits the shell ends the session with its changes', async () => {
    open();
    expect(await turn({ command: 'echo x > made; exit 9' })).toMatchObject({
      state: 'gone',
      code: 9,
      changes: { made: 'x\n' },
    });
    expect(await turn({})).toMatchObject({ state: 'gone' });
  });

  test('that closes the terminal keeps its shell', async () => {
    open();
    await turn({ command: 'exec 1>&- 2>&-' });
    expect(await turn({ command: 'echo x > made' })).toMatchObject({ state: 'idle', changes: { made: 'x\n' } });
  });

  test('that stops the shell holds a turn no longer than its time limit', async () => {
    open();
    expect((await turn({ command: 'kill -STOP $$; echo on', yield_ms: 300 })).state).toBe('running');
    expect((await turn({ ctrl: 'c', yield_ms: 300 })).state).toBe('running');
  });
});
