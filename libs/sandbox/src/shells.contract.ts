// SPDX-License-Identifier: Apache-2.0
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

/** Commands of the suite, with what a fake does in their place. */
const COMMANDS = {
  set: 'X=5; echo set',
  get: 'echo "X is $X"',
  write: 'echo new > a; rm -f gone; (exit 3)',
  ask: 'read answer; echo "$answer" > answered; echo "got $answer"',
  listen: 'cat > /dev/null',
  leave: 'echo last > left; exit 9',
  show: 'cat brought',
  given: 'echo "given ${GIVEN-nothing}"',
} as const;

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
  [COMMANDS.given]: ({ vars, out }) => (out(`given ${vars.get('GIVEN') ?? 'nothing'}\r\n`), 0),
};

const shown = (changes: readonly SandboxChange[]): Record<string, string | null> =>
  Object.fromEntries(
    changes.map(({ path, after }) => [
      path,
      after?.kind === 'file' ? Buffer.from(after.bytes).toString() : (after?.kind ?? null),
    ]),
  );

/** What every kind of shells must do, whatever its containers are made of. `open` is called once. */
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

    const specOf = (files: readonly SandboxEntry[]): ShellSpec => ({
      image: under.image,
      files,
      env: {},
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

    test('what one command sets the next one finds', async () => {
      expect(await textOf({ command: COMMANDS.set })).toBe('set\r\n');
      expect(await textOf({ command: COMMANDS.get })).toBe('X is 5\r\n');
    });

    test('what one command is given no other one finds', async () => {
      expect(await textOf({ command: COMMANDS.given, variables: { GIVEN: 'it\'s "5"' } })).toBe('given it\'s "5"\r\n');
      expect(await textOf({ command: COMMANDS.given })).toBe('given nothing\r\n');
    });

    test("a command's status is told with what it changed, each change once", async () => {
      const first = await turn({ command: COMMANDS.write });
      expect(first).toMatchObject({ state: 'idle', refused: null, exitCode: 3 });
      expect(shown(first.changes)).toEqual({ a: 'new\n', gone: null });
      expect(first.changes.every(({ before }) => before !== null)).toBe(true);
      expect((await turn({ command: COMMANDS.get })).changes).toEqual([]);
    });

    test('a command that waits for input ends its turn at the time, and the one that sees it end tells what it did', async () => {
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

    test('while a command runs there is no other, and the interrupt key ends it', async () => {
      await turn({ command: COMMANDS.listen, yieldMs: 300 });
      expect(await turn({ command: COMMANDS.write })).toMatchObject({ state: 'running', refused: 'busy', changes: [] });
      expect(await turn({ control: 'c' })).toMatchObject({ state: 'idle', exitCode: 130 });
    });

    test('at the prompt nobody takes input', async () => {
      expect(await turn({ input: 'yes\n' })).toMatchObject({ state: 'idle', refused: 'idle', changes: [] });
    });

    test('a shell that exits tells its status and what it left, and is gone', async () => {
      const last = await turn({ command: COMMANDS.leave });
      expect(last).toMatchObject({ state: 'gone', exitCode: 9 });
      expect(shown(last.changes)).toEqual({ left: 'last\n' });
      await shell.gone;
      await expect(turn({})).rejects.toMatchObject({ name: 'ShellEnded' });
    });

    test("what changed elsewhere is brought in, and is no change of the shell's", async () => {
      const patches: SandboxPatch[] = [file('brought', 'from elsewhere'), { path: 'kept', kind: 'gone' }];
      expect(await shell.bring(patches)).toEqual([]);
      const after = await turn({ command: COMMANDS.show });
      expect(Buffer.from(after.output).toString()).toBe('from elsewhere');
      expect(after.changes).toEqual([]);
    });

    test('what was told and then changed elsewhere is brought in over it', async () => {
      expect(shown((await turn({ command: COMMANDS.write })).changes)).toEqual({ a: 'new\n', gone: null });
      expect(await shell.bring([file('a', 'other'), file('brought', 'x')])).toEqual([]);
      expect(await textOf({ command: COMMANDS.show })).toBe('x');
    });

    test('an aborted turn kills the shell', async () => {
      const abort = new AbortController();
      await turn({ command: COMMANDS.listen, yieldMs: 300 });
      abort.abort();
      await expect(turn({}, abort.signal)).rejects.toMatchObject({ ended: 'killed' });
      await shell.gone;
    });

    test('more changed than may be ends the shell as a limit', async () => {
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
