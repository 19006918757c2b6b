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
let said: AgentMessage[];
let heard: () => void;
let agent: Agent;
let turns: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-workspace-'));
  scratch = mkdtempSync(join(tmpdir(), 'writ-scratch-'));
  [said, turns] = [[], 0];
  heard = () => undefined;
  const endAll = ({ pid }: { pid?: number | undefined }) => {
    // Its own group only: these are no processes of a container.
    if (pid !== undefined) kill(-pid);
  };
  agent = new Agent({ root, scratch, pipes: makePipes(root)[0], endAll }, (message) => {
    // Bytes are valid only while they are told.
    said.push('bytes' in message ? { ...message, bytes: Buffer.from(message.bytes) } : message);
    heard();
  });
});
afterEach(() => {
  for (const child of readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' '))
    if (child !== '') kill(-Number(child));
  // What is killed may still be about to write.
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
    agent.take(message);
};

/** Waits until the agent has said such a message since; resolves with all that it said. */
async function until(isLast: (message: AgentMessage) => boolean, act: () => void): Promise<AgentMessage[]> {
  said = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  heard = () => {
    if (said.some(isLast)) resolve(undefined);
  };
  act();
  await promise;
  return said;
}

async function turn(order: Partial<TurnOrder>) {
  const messages = await until(
    ({ type }) => type === 'end' || type === 'fault',
    () => agent.take({ type: 'turn', order: { ...ORDER, turn: ++turns, ...order } }),
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
 * Begins a command that runs on, and waits until it has shown all that is expected of it: how fast a shell starts is
 * nobody's promise.
 */
async function started(command: string, shows: string) {
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
    await until(
      ({ type }) => type === 'checked' || type === 'fault',
      () => agent.take({ type: 'check', paths, last: true }),
    )
  )[0];
  return answer?.type === 'checked' ? answer.conflicts : [JSON.stringify(answer)];
}
const patch = (path: string, text: string | null): void =>
  agent.take({ type: 'patch', path, after: text === null ? null : headOf(path, text), bytes: Buffer.from(text ?? '') });

describe('what lasts', () => {
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

  test('each command tells its status, also one that the parser refuses', async () => {
    open();
    expect([
      (await turn({ command: 'true' })).code,
      (await turn({ command: '(exit 7)' })).code,
      (await turn({ command: "echo '" })).code,
    ]).toEqual([0, 7, 2]);
  });

  test("a command of several lines with quotes, and one longer than a terminal's line, run as they are", async () => {
    open();
    const long = 'x'.repeat(20_000);
    expect(
      (await turn({ command: `cat <<'E'\nit's\t!! $HOME\nE\n: '${long}'; for i in 1 2; do\necho $i\ndone` })).text,
    ).toBe("it's\t!! $HOME\r\n1\r\n2\r\n");
  });

  test('a prompt that a command has set, as activating a virtual environment does, stands in no output', async () => {
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

  test('a command that is interrupted tells its status, and the next one runs without a prompt', async () => {
    open();
    await started('PS1="(venv) "; echo on; sleep 1000', 'on\r\n');
    expect(await turn({ ctrl: 'c' })).toMatchObject({ state: 'idle', code: 130 });
    expect(await turn({ command: 'echo next' })).toMatchObject({ text: 'next\r\n', code: 0 });
  });

  test('a program finds a terminal of the size that was asked for, and is told when it changes', async () => {
    open();
    expect((await turn({ command: 'test -t 0 && test -t 1 && stty size' })).text).toBe('24 80\r\n');
    await turn({ command: 'trap "stty size </dev/tty" WINCH' });
    expect((await turn({ command: 'stty size', cols: 132, rows: 50 })).text).toMatch(/^(50 132\r\n)+$/);
  });
});

describe('what a command is given', () => {
  const VALUE = 'it\'s "$(touch pwned)" `x`\\ \n two  \x01\x7f é ';
  const HEX = Buffer.from(VALUE).toString('hex');
  const shown = async (order: Partial<TurnOrder>): Promise<string> => (await turn(order)).text.trim();

  test('is in its variables byte for byte, in no environment, and gone with it', async () => {
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

  test('of 64 KiB in all comes whole', async () => {
    open();
    const variables = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`V${n}`, String(n).repeat(8_192)]));
    expect(await shown({ command: 'echo ${#V0} ${#V7} ${V7:8190}', variables })).toBe('8192 8192 77');
  });

  test('is on no list of processes, in no history, in no trace of what the shell reads, and on no descriptor of a program', async () => {
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

  test('and was not read, since the shell was interrupted, is not taken for a value of the next command', async () => {
    open();
    // The first reading is the shell's own and goes wrong: what it leaves on the pipe is found by the second.
    expect(await shown({ command: 'true', variables: { A: 'a', B: 'b' } })).toBe('');
    await turn({ command: 'readonly Z=z' });
    expect(
      await turn({ command: 'echo never', variables: { Z: 'left-behind', Y: 'left-behind-too' } }),
    ).not.toMatchObject({ text: expect.stringContaining('never') });
    expect(await shown({ command: 'echo "$C $D"', variables: { C: 'c', D: 'd' } })).toBe('c d');
  });
});

describe('a command that runs on', () => {
  test('ends the turn at its time with the output so far; what comes later is told with the next, and its files when it ends', async () => {
    open();
    expect(await started('echo a; echo 1 > made; read x; echo "got $x"', 'a\r\n')).toEqual({
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
  ] as const)('the key %s ends its hold of the terminal', async (ctrl, code) => {
    open();
    // A program that has said so holds the terminal; the shell itself heeds only the first of these keys.
    await started('sh -c "echo on; sleep 1000"', 'on\r\n');
    expect(await turn({ ctrl })).toMatchObject({ state: 'idle', code });
  });

  test('the interrupt key ends a loop of the shell itself, and the shell lives', async () => {
    open();
    await started('x=1; echo on; while :; do :; done', 'on\r\n');
    expect(await turn({ ctrl: 'c' })).toMatchObject({ state: 'idle', code: 130 });
    expect((await turn({ command: 'echo $x' })).text).toBe('1\r\n');
  });

  test('the end of input ends a program that reads', async () => {
    open();
    await started('echo on; cat', 'on\r\n');
    expect(await turn({ ctrl: 'd' })).toMatchObject({ state: 'idle', code: 0 });
  });

  test('another command is refused while it runs, and input while none does: neither is kept for later', async () => {
    open();
    expect(await turn({ input: 'echo typed > made\n' })).toMatchObject({ state: 'idle', refused: 'idle' });
    await started('echo on; sleep 1000', 'on\r\n');
    expect(await turn({ command: 'echo x > made' })).toMatchObject({ state: 'running', refused: 'busy', changes: {} });
    await turn({ ctrl: 'c' });
    expect(await turn({ command: 'true' })).toMatchObject({ text: '', changes: {} });
    expect(existsSync(join(root, 'made'))).toBe(false);
  });
});

describe('what changed', () => {
  test('is told once, whatever the exit status', async () => {
    open(file('old', 'x'), file('gone', 'x'), file('kept', 'x'));
    expect((await turn({ command: 'echo new > old; rm gone; mkdir d; false' })).changes).toEqual({
      old: 'new\n',
      gone: null,
      d: '',
    });
    expect((await turn({ command: 'true' })).changes).toEqual({});
  });

  test('of a background job is told with the next turn', async () => {
    open();
    await turn({ command: '(until test -e go; do sleep 0.05; done; echo done > made) &' });
    writeFileSync(join(root, 'go'), '');
    let all: Record<string, string | null> = {};
    while (!('made' in all) || all.made === '') all = { ...all, ...(await turn({})).changes };
    expect(all).toMatchObject({ go: '', made: 'done\n' });
  });

  test('beyond the bounds is a fault', async () => {
    open();
    expect((await turn({ command: 'touch 1 2 3', delta_files_max: 2 })).fault).toMatchObject({ reason: 'delta_files' });
  });

  test('an output beyond its bound is cut and counted, and the shell goes on', async () => {
    open();
    const flooded = await turn({ command: 'head -c 50000 /dev/zero | tr "\\0" x', output_bytes_max: 100 });
    expect(flooded).toMatchObject({ state: 'idle', droppedBytes: 49_900 });
    expect((await turn({ command: 'echo on' })).text).toBe('on\r\n');
  });
});

describe('what changed elsewhere', () => {
  test('is brought in: written, replaced and taken away', async () => {
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

  test('meets what was changed here and not told: said, and nothing is written', async () => {
    open(file('a', '1'), file('d/b', '1'));
    await turn({ command: 'true' });
    writeFileSync(join(root, 'a'), 'mine');
    writeFileSync(join(root, 'd/untold'), '');
    writeFileSync(join(root, 'fresh'), '');
    const paths = ['a', 'd/b', 'd', 'fresh'].map((path) => ({ path, gone: path !== 'fresh' && path !== 'a' }));
    expect(await check(...paths)).toEqual(['a', 'd', 'fresh']);
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('mine');
  });
});

describe('hostile jobs', () => {
  test('a job that prints marks ends a wait and nothing more: the next command is refused or run, never lost half-way', async () => {
    open();
    const forged = await turn({
      command:
        'n=$(tr "\\0" "\\n" < /proc/$$/cmdline >/dev/null; echo 00); printf "\\e]133;W;$n;0\\a"; echo shown; sleep 0.1',
    });
    expect(forged).toMatchObject({ state: 'idle', text: expect.stringContaining('shown') });
  });

  test('a shell that is killed, and one that exits, end the session with what they left', async () => {
    open();
    expect(await turn({ command: 'echo x > made; exit 9' })).toMatchObject({
      state: 'gone',
      code: 9,
      changes: { made: 'x\n' },
    });
    expect(await turn({})).toMatchObject({ state: 'gone' });
  });

  test('a job that closes the terminal keeps its shell', async () => {
    open();
    await turn({ command: 'exec 1>&- 2>&-' });
    expect(await turn({ command: 'echo x > made' })).toMatchObject({ state: 'idle', changes: { made: 'x\n' } });
  });

  test('a shell that stops itself holds a turn no longer than its time', async () => {
    open();
    expect((await turn({ command: 'kill -STOP $$; echo on', yield_ms: 300 })).state).toBe('running');
    expect((await turn({ ctrl: 'c', yield_ms: 300 })).state).toBe('running');
  });
});
