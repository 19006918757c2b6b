// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { FakeShellProgram } from './fake-shell-program.ts';
import type { SandboxChange, SandboxEntry, SandboxPatch } from './sandbox.ts';
import type { Shell, ShellSpec, Shells, ShellTurn } from './shell.ts';

export interface ShellsUnderTest {
  readonly shells: Shells;
  readonly image: string;
  readonly close: () => Promise<void>;
}

const MIB = 1024 * 1024;
const file = (path: string, content: string): SandboxEntry => ({
  path,
  kind: 'file',
  mode: '644',
  bytes: Buffer.from(content),
});

/** Commands of the suite, with their fakes. */
const COMMANDS = {
  set: 'X=5; echo set',
  get: 'echo "X is $X"',
  write: 'echo new > a; rm -f gone; (exit 3)',
  ask: 'read answer; echo "$answer" > answered; echo "got $answer"',
  listen: 'cat > /dev/null',
  leave: 'echo last > left; exit 9',
  show: 'cat brought',
  given: 'echo "given ${GIVEN-nothing}"',
  connect:
    'exec 9<>"/dev/tcp/127.0.0.1/${http_proxy##*:}"; echo hello >&9; IFS= read -r answer <&9; echo "got $answer"',
  reuse: 'echo again >&9; IFS= read -r -t 5 answer <&9 && echo "got $answer" || echo cut',
  loop: '(trap "" PIPE; until test -e /tmp/over; do { exec 8<>"/dev/tcp/127.0.0.1/${http_proxy##*:}" && echo looped >&8; read -r -t 1 x <&8; } 2>/dev/null; sleep 0.02; done) &',
  pause: 'sleep 1',
  unloop: 'touch /tmp/over; wait',
} as const;

/** What fake commands keep in their shell: a connection, and a background process that connects again and again. */
const kept: { connection?: Duplex | null; loop?: NodeJS.Timeout } = {};
const firstLine = async (connection: Duplex | null, sent: string): Promise<string | null> => {
  if (connection === null || connection.destroyed) return null;
  connection.on('error', () => undefined).write(sent);
  // An error of the connection, such as its reset, is an end without an answer.
  const [bytes] = (await Promise.race([once(connection, 'data'), once(connection, 'close')]).catch(() => [])) as [
    Buffer?,
  ];
  return bytes instanceof Buffer ? bytes.toString().trim() : null;
};

export const SHELL_PROGRAMS: Readonly<Record<string, FakeShellProgram>> = {
  [COMMANDS.set]: ({ vars, out }) => (vars.set('X', '5'), out('set\r\n'), 0),
  [COMMANDS.get]: ({ vars, out }) => (out(`X is ${vars.get('X') ?? ''}\r\n`), 0),
  [COMMANDS.write]: ({ files }) => (files.set('a', file('a', 'new\n')), files.delete('gone'), 3),
  [COMMANDS.ask]: ({ files, out }) => ({
    runs: (input) => {
      files.set('answered', file('answered', input));
      out(`${input.replace('\n', '\r\n')}got ${input.replace('\n', '\r\n')}`);
      return 0;
    },
  }),
  [COMMANDS.listen]: () => ({ runs: () => null }),
  [COMMANDS.leave]: ({ files }) => (files.set('left', file('left', 'last\n')), { exit: 9 }),
  [COMMANDS.show]: ({ files, out }) => {
    const shown = files.get('brought');
    out(shown?.kind === 'file' ? Buffer.from(shown.bytes).toString() : '');
    return shown === undefined ? 1 : 0;
  },
  [COMMANDS.connect]: async ({ connect, out }) => {
    kept.connection = connect();
    out(`got ${(await firstLine(kept.connection, 'hello\n')) ?? ''}\r\n`);
    return 0;
  },
  [COMMANDS.reuse]: async ({ out }) => {
    const answer = await firstLine(kept.connection ?? null, 'again\n');
    out(answer === null ? 'cut\r\n' : `got ${answer}\r\n`);
    return 0;
  },
  [COMMANDS.loop]: ({ connect }) => (
    (kept.loop = setInterval(
      () =>
        connect()
          ?.on('error', () => undefined)
          .write('looped\n'),
      20,
    )),
    0
  ),
  [COMMANDS.pause]: () => new Promise((resolve) => setTimeout(() => resolve(0), 1_000)),
  [COMMANDS.unloop]: () => (clearInterval(kept.loop), 0),
  [COMMANDS.given]: ({ vars, out }) => (out(`given ${vars.get('GIVEN') ?? 'nothing'}\r\n`), 0),
};

const shown = (changes: readonly SandboxChange[]): Record<string, string | null> =>
  Object.fromEntries(
    changes.map(({ path, after }) => [
      path,
      after?.kind === 'file' ? Buffer.from(after.bytes).toString() : (after?.kind ?? null),
    ]),
  );

/** The contract of every kind of shells, whatever their containers are. `open` is called once. */
export function shellsContract(name: string, open: () => Promise<ShellsUnderTest>): void {
  describe(name, () => {
    let under: ShellsUnderTest;
    let shell: Shell;
    beforeAll(async () => {
      under = await open();
    }, 120_000);
    afterAll(() => under.close(), 60_000);
    beforeEach(async () => {
      shell = await under.shells.open(
        specOf([file('a', 'old'), file('gone', 'x'), file('kept', 'x')]),
        new AbortController().signal,
      );
    });
    afterEach(() => shell.close());

    const specOf = (files: readonly SandboxEntry[], hasProxy = true): ShellSpec => ({
      image: under.image,
      files,
      env: {},
      ...(hasProxy ? { proxy: true } : {}),
      size: { cols: 80, rows: 24 },
      labels: {},
      limits: { memoryBytes: 256 * MIB, cpus: 1, pids: 64, tmpfsBytes: 64 * MIB },
    });
    const turn = (asked: Partial<ShellTurn>, signal = new AbortController().signal) =>
      shell.turn(
        {
          yieldMs: 10_000,
          limits: { cpuMs: 20_000, cpus: 1, outputBytes: 10_000, deltaBytes: MIB, deltaFiles: 100 },
          ...asked,
        },
        signal,
      );
    const textOf = async (asked: Partial<ShellTurn>) => Buffer.from((await turn(asked)).output).toString();

    test('a variable that one command sets is visible to the next', async () => {
      expect(await textOf({ command: COMMANDS.set })).toBe('set\r\n');
      expect(await textOf({ command: COMMANDS.get })).toBe('X is 5\r\n');
    });

    test('variables given to one command are not visible to another', async () => {
      expect(await textOf({ command: COMMANDS.given, variables: { GIVEN: 'it\'s "5"' } })).toBe('given it\'s "5"\r\n');
      expect(await textOf({ command: COMMANDS.given })).toBe('given nothing\r\n');
    });

    test("a command's status is reported with its changes, each change once", async () => {
      const first = await turn({ command: COMMANDS.write });
      expect(first).toMatchObject({ state: 'idle', refused: null, exitCode: 3 });
      expect(shown(first.changes)).toEqual({ a: 'new\n', gone: null });
      expect(first.changes.every(({ before }) => before !== null)).toBe(true);
      expect((await turn({ command: COMMANDS.get })).changes).toEqual([]);
    });

    test('a turn ends at its time while its command waits, and the turn in which it ends has its changes', async () => {
      expect(await turn({ command: COMMANDS.ask, yieldMs: 300 })).toMatchObject({
        state: 'running',
        exitCode: null,
        changes: [],
      });
      const answered = await turn({ input: 'yes\n' });
      expect(answered).toMatchObject({ state: 'idle', exitCode: 0 });
      expect(Buffer.from(answered.output).toString()).toBe('yes\r\ngot yes\r\n');
      expect(shown(answered.changes)).toEqual({ answered: 'yes\n' });
    });

    test('while a command runs another one is refused, and the interrupt key ends it', async () => {
      await turn({ command: COMMANDS.listen, yieldMs: 300 });
      expect(await turn({ command: COMMANDS.write })).toMatchObject({ state: 'running', refused: 'busy', changes: [] });
      expect(await turn({ control: 'c' })).toMatchObject({ state: 'idle', exitCode: 130 });
    });

    test('input at the prompt is refused', async () => {
      expect(await turn({ input: 'yes\n' })).toMatchObject({ state: 'idle', refused: 'idle', changes: [] });
    });

    test('a shell that exits reports its status and its changes, and is gone', async () => {
      const last = await turn({ command: COMMANDS.leave });
      expect(last).toMatchObject({ state: 'gone', exitCode: 9 });
      expect(shown(last.changes)).toEqual({ left: 'last\n' });
      await shell.gone;
      await expect(turn({})).rejects.toMatchObject({ name: 'ShellEnded' });
    });

    test('an outside change is synced, and is no change of the shell', async () => {
      const patches: SandboxPatch[] = [file('brought', 'from elsewhere'), { path: 'kept', kind: 'gone' }];
      expect(await shell.applyPatches(patches)).toEqual([]);
      const after = await turn({ command: COMMANDS.show });
      expect(Buffer.from(after.output).toString()).toBe('from elsewhere');
      expect(after.changes).toEqual([]);
    });

    test('an outside change overwrites a change that was reported', async () => {
      expect(shown((await turn({ command: COMMANDS.write })).changes)).toEqual({ a: 'new\n', gone: null });
      expect(await shell.applyPatches([file('a', 'other'), file('brought', 'x')])).toEqual([]);
      expect(await textOf({ command: COMMANDS.show })).toBe('x');
    });

    /** An egress that echoes each line, and counts its connections. */
    const echo = () => {
      const served: Duplex[] = [];
      const serve = (connection: Duplex): void => {
        served.push(connection);
        connection.on('error', () => undefined).pipe(connection);
      };
      return { served, serve };
    };

    test("a connection to the proxy reaches the turn's egress, and is cut when the turn ends", async () => {
      const [first, second] = [echo(), echo()];
      expect(await textOf({ command: COMMANDS.connect, egress: first })).toBe('got hello\r\n');
      expect(first.served.map(({ destroyed }) => destroyed)).toEqual([true]);
      expect(await textOf({ command: COMMANDS.reuse, egress: second })).toContain('cut\r\n');
      expect(await textOf({ command: COMMANDS.connect, egress: second })).toBe('got hello\r\n');
      expect([first.served.length, second.served.length]).toEqual([1, 1]);
    });

    test('a process that connects between turns reaches nothing, and within a turn the egress of that turn', async () => {
      const [first, second] = [echo(), echo()];
      await turn({ command: COMMANDS.loop, egress: first });
      const count = first.served.length;
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(first.served).toHaveLength(count);
      await turn({ command: COMMANDS.pause, egress: second });
      expect(second.served.length).toBeGreaterThan(0);
      const { length } = second.served;
      expect(await turn({ command: COMMANDS.unloop })).toMatchObject({ state: 'idle' });
      expect([first.served.length, second.served.length]).toEqual([count, length]);
    });

    test('a turn without an egress closes each connection, and a shell without a proxy has none', async () => {
      expect(await textOf({ command: COMMANDS.connect })).toContain('got \r\n');
      const closed = await under.shells.open(specOf([], false), new AbortController().signal);
      const egress = echo();
      const { output } = await closed.turn(
        {
          command: COMMANDS.connect,
          yieldMs: 10_000,
          limits: { cpuMs: 20_000, cpus: 1, outputBytes: 10_000, deltaBytes: MIB, deltaFiles: 100 },
          egress,
        },
        new AbortController().signal,
      );
      expect(Buffer.from(output).toString()).toContain('got \r\n');
      expect(egress.served).toEqual([]);
      await closed.close();
    });

    test('an aborted turn kills the shell', async () => {
      const abort = new AbortController();
      await turn({ command: COMMANDS.listen, yieldMs: 300 });
      abort.abort();
      await expect(turn({}, abort.signal)).rejects.toMatchObject({ ended: 'killed' });
      await shell.gone;
    });

    test('more changes than allowed end the shell as a limit', async () => {
      await expect(
        turn({
          command: COMMANDS.write,
          limits: { cpuMs: 20_000, cpus: 1, outputBytes: 10_000, deltaBytes: MIB, deltaFiles: 1 },
        }),
      ).rejects.toMatchObject({ ended: 'limit', reason: 'delta_files' });
      await shell.gone;
    });
  });
}
