// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { connectedJobs } from './connected-jobs.contract.ts';
import { COMMANDS } from './programs.contract.ts';
import {
  SANDBOX_LABELS,
  SandboxJobError,
  type Sandbox,
  type SandboxEntry,
  type SandboxJob,
  type SandboxLimits,
  type SandboxResult,
} from './sandbox.ts';

export { FakeAgent } from './fake-agent.ts';
export { FakeShellAgent } from './fake-shell-agent.ts';
export { PROGRAMS } from './programs.contract.ts';
export { SHELL_PROGRAMS, shellsContract, type ShellsUnderTest } from './shells.contract.ts';

export interface SandboxUnderTest {
  readonly sandbox: Sandbox;
  readonly image: string;
  /** the limits of the suite's jobs, unless a test sets others */
  readonly limits: SandboxLimits;
}

const MIB = 1024 * 1024;

/** Small enough for a shared machine, large enough for every command of the suite. */
export const CONTRACT_LIMITS: SandboxLimits = {
  memoryBytes: 256 * MIB,
  cpus: 1,
  pids: 64,
  tmpfsBytes: 64 * MIB,
  wallMs: 20_000,
  cpuMs: 20_000,
  outputBytes: 200_000,
  deltaBytes: 16 * MIB,
  deltaFiles: 5_000,
};

const file = (path: string, content: string | Uint8Array = `${path}\n`, mode: '644' | '755' = '644'): SandboxEntry => ({
  path,
  kind: 'file',
  mode,
  bytes: Buffer.from(content),
});
const dir = (path: string): SandboxEntry => ({ path, kind: 'dir', mode: null });
const symlink = (path: string, target: string): SandboxEntry => ({ path, kind: 'symlink', mode: null, target });
const hash = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** A delta in short form: `path` → the entry before and after. */
function shown(result: SandboxResult): Record<string, string> {
  return Object.fromEntries(
    result.changes.map(({ path, before, after }) => {
      const was = before ? `${before.kind} ${before.mode ?? '-'}` : 'nothing';
      if (!after) return [path, `${was} → nothing`];
      const content =
        after.kind === 'file'
          ? ` ${JSON.stringify(Buffer.from(after.bytes).toString())}`
          : after.kind === 'symlink'
            ? ` ${after.target}`
            : '';
      return [path, `${was} → ${after.kind} ${after.mode ?? '-'}${content}`];
    }),
  );
}

/** The contract of every sandbox, whatever its containers are. `open` is called once. */
export function sandboxContract(name: string, open: () => Promise<SandboxUnderTest>): void {
  describe(name, () => {
    let under: SandboxUnderTest;
    beforeAll(async () => {
      under = await open();
    }, 120_000);
    afterAll(() => under.sandbox.close(), 60_000);

    const jobOf = (
      command: string,
      files: SandboxJob['files'] = [],
      limits: Partial<SandboxLimits> = {},
    ): SandboxJob => ({
      image: under.image,
      files,
      command,
      cwd: '',
      env: {},
      labels: {},
      limits: { ...under.limits, ...limits },
    });
    const run = (...job: Parameters<typeof jobOf>) => under.sandbox.run(jobOf(...job), new AbortController().signal);
    const textOf = (result: SandboxResult) => result.output.map(({ bytes }) => Buffer.from(bytes).toString()).join('');

    describe("the command's end", () => {
      test('a command that succeeds changes nothing by itself', async () => {
        expect(await run(COMMANDS.succeed, [file('a'), dir('d'), symlink('l', 'nowhere')])).toMatchObject({
          ended: 'exited',
          reason: null,
          exitCode: 0,
          signal: null,
          output: [],
          truncatedBytes: 0,
          untappedBytes: 0,
          changes: [],
        });
      });

      test('a job runs with every label that a sandbox can have', async () => {
        const labels = Object.fromEntries(SANDBOX_LABELS.map((label) => [label, 'x_0123456789']));
        const job = { ...jobOf(COMMANDS.succeed), labels };
        expect(await under.sandbox.run(job, new AbortController().signal)).toMatchObject({ exitCode: 0 });
      });

      test('a command that fails reports its status, and its effect is still reported', async () => {
        const result = await run(COMMANDS.failAfterWriting);
        expect(result).toMatchObject({ ended: 'exited', exitCode: 7 });
        expect(shown(result)).toEqual({ made: 'nothing → file 644 "x\\n"' });
      });

      test('a command that a signal ends reports the signal', async () => {
        expect(await run(COMMANDS.terminateItself)).toMatchObject({
          ended: 'exited',
          exitCode: null,
          signal: 'SIGTERM',
        });
      });

      test('a command that exceeds its time is ended and has no effect', async () => {
        const result = await run(COMMANDS.runOn, [], { wallMs: 300 });
        expect(result).toMatchObject({ ended: 'timeout', reason: 'wall', changes: [] });
      });

      test('a command that exceeds its processor time is ended and has no effect', async () => {
        expect(await run(COMMANDS.burn, [], { cpuMs: 400 })).toMatchObject({
          ended: 'limit',
          reason: 'cpu',
          exitCode: null,
          changes: [],
        });
      });

      test('a command that waits uses no processor time', async () => {
        expect(await run(COMMANDS.speakInTurn, [], { cpuMs: 5_000 })).toMatchObject({ ended: 'exited', exitCode: 0 });
      });

      test('a command that is silent for its idle time is ended, keeps its output and has no effect', async () => {
        const result = await run(COMMANDS.speakThenWait, [], { idleMs: 800 });
        expect(result).toMatchObject({ ended: 'timeout', reason: 'idle', exitCode: null, changes: [] });
        expect(textOf(result)).toBe('one\n');
      });

      test('a command with output within each idle time may take longer', async () => {
        expect(await run(COMMANDS.speakNowAndThen, [], { idleMs: 1_500 })).toMatchObject({
          ended: 'exited',
          exitCode: 0,
        });
      });

      test('an aborted signal kills the job', async () => {
        const abort = new AbortController();
        const running = under.sandbox.run(jobOf(COMMANDS.runOn), abort.signal);
        abort.abort();
        expect(await running).toMatchObject({ ended: 'killed', reason: 'aborted', changes: [] });
      });

      test('a missing image loses the job and is reported', async () => {
        const result = await under.sandbox.run(
          { ...jobOf(COMMANDS.succeed), image: 'writ-no-such-image:none' },
          new AbortController().signal,
        );
        expect(result).toMatchObject({ ended: 'lost', reason: 'engine' });
        expect(result.detail?.toLowerCase()).toContain('no such image');
      });
    });

    describe('streams', () => {
      test('a tap receives the output as it is produced', async () => {
        const heard: string[] = [];
        const result = await under.sandbox.run(
          {
            ...jobOf(COMMANDS.speakInTurn),
            tap: ({ stream, bytes }) => {
              heard.push(`${stream} ${Buffer.from(bytes).toString()}`);
            },
          },
          new AbortController().signal,
        );
        expect(heard.join('')).toBe('stdout one\nstderr two\nstdout three\n');
        expect(textOf(result)).toBe('one\ntwo\nthree\n');
      });

      test('stdout and stderr are separate and in their order', async () => {
        const { output } = await run(COMMANDS.speakInTurn);
        expect(output.map(({ stream, bytes }) => [stream, Buffer.from(bytes).toString()])).toEqual([
          ['stdout', 'one\n'],
          ['stderr', 'two\n'],
          ['stdout', 'three\n'],
        ]);
      });

      test('a flood is cut at the bound and the rest is counted', async () => {
        const result = await run(COMMANDS.flood, [], { outputBytes: 1000 });
        expect(result).toMatchObject({
          ended: 'exited',
          exitCode: 0,
          truncatedBytes: 999_000,
          usage: { outputBytes: 1_000_000 },
        });
        expect(textOf(result)).toBe('x'.repeat(1000));
      });

      test('the tap receives more than the result shows, in order, however slow it is', async () => {
        const heard: Buffer[] = [];
        const result = await under.sandbox.run(
          {
            ...jobOf(COMMANDS.flood, [], { outputBytes: 1000, tapBytes: 600_000 }),
            tap: ({ bytes }) => {
              heard.push(Buffer.from(bytes));
              return new Promise((resolve) => {
                setImmediate(resolve);
              });
            },
          },
          new AbortController().signal,
        );
        expect(result).toMatchObject({
          ended: 'exited',
          exitCode: 0,
          truncatedBytes: 999_000,
          untappedBytes: 400_000,
          usage: { outputBytes: 1_000_000 },
        });
        expect(textOf(result)).toBe('x'.repeat(1000));
        expect(Buffer.concat(heard).equals(Buffer.alloc(600_000, 'x'))).toBe(true);
      });

      test('variables, working directory and stdin reach the command', async () => {
        const stdin = Buffer.from('spoken\n'.repeat(50_000));
        const result = await under.sandbox.run(
          {
            ...jobOf(COMMANDS.describe, [file('sub/deep/f')], { outputBytes: MIB }),
            env: { GREETING: 'héllo "$x"' },
            cwd: 'sub/deep',
            stdin,
          },
          new AbortController().signal,
        );
        expect(textOf(result)).toBe(`héllo "$x" from deep\n${stdin.toString()}`);
      });
    });

    describe('the effect', () => {
      test('an edit names the content before it', async () => {
        const result = await run(COMMANDS.edit, [file('edited.txt', 'first\n'), file('kept.txt')]);
        expect(result.changes).toEqual([
          {
            path: 'edited.txt',
            before: { kind: 'file', mode: '644', sha256: hash('first\n'), size: 6 },
            after: { kind: 'file', mode: '644', bytes: expect.anything() as unknown },
          },
        ]);
        expect(shown(result)).toEqual({ 'edited.txt': 'file 644 → file 644 "first\\nmore\\n"' });
      });

      test('a file that is rewritten with the same content did not change', async () => {
        expect(await run(COMMANDS.rewriteAlike, [file('same.txt'), file('other.txt')])).toMatchObject({
          exitCode: 0,
          changes: [],
        });
      });

      test('a rename is one deletion and one creation', async () => {
        expect(shown(await run(COMMANDS.rename, [file('old.txt', 'text')]))).toEqual({
          'new.txt': 'nothing → file 644 "text"',
          'old.txt': 'file 644 → nothing',
        });
      });

      test('the executable bit alone is a change', async () => {
        expect(shown(await run(COMMANDS.makeExecutable, [file('script.sh', '#!'), file('tool', '#!', '755')]))).toEqual(
          { 'script.sh': 'file 644 → file 755 "#!"' },
        );
      });

      test('links are transferred as links, whatever their target', async () => {
        const result = await run(COMMANDS.link, [
          symlink('moved', 'a.txt'),
          symlink('kept', '/etc/passwd'),
          file('a.txt'),
        ]);
        expect(shown(result)).toEqual({ link: 'nothing → symlink - ../outside', moved: 'symlink - → symlink - b.txt' });
        expect(result.changes.find(({ path }) => path === 'moved')?.before?.sha256).toBe(hash('a.txt'));
      });

      test('directories are entries of their own, named or not', async () => {
        const files = [
          file('left/only.txt', 'x'),
          dir('was-empty'),
          dir('gone'),
          dir('whole'),
          file('whole/a', 'x'),
          file('whole/b/c', 'x'),
        ];
        expect(shown(await run(COMMANDS.folders, files))).toEqual({
          empty: 'nothing → dir -',
          gone: 'dir - → nothing',
          'left/only.txt': 'file 644 → nothing',
          'was-empty/file': 'nothing → file 644 "x\\n"',
          new: 'nothing → dir -',
          'new/deep': 'nothing → dir -',
          'new/deep/file': 'nothing → file 644 "x\\n"',
          whole: 'dir - → nothing',
          'whole/a': 'file 644 → nothing',
          'whole/b': 'dir - → nothing',
          'whole/b/c': 'file 644 → nothing',
        });
      });

      test('a directory may replace a file, and a file a directory', async () => {
        expect(shown(await run(COMMANDS.replaceKinds, [file('thing', 'x'), file('tree/a', 'x')]))).toEqual({
          thing: 'file 644 → dir -',
          'thing/inner': 'nothing → file 644 "x\\n"',
          tree: 'dir - → file 644 "y\\n"',
          'tree/a': 'file 644 → nothing',
        });
      });

      test('names keep their Unicode, spaces and newlines; changes are sorted by bytes', async () => {
        const result = await run(COMMANDS.unicode, [file('grün.txt', 'x')]);
        expect(result.changes.map(({ path }) => path)).toEqual(['a b\nc', 'grün.txt', '緑.txt']);
      });

      test('content of many chunks is transferred unchanged both ways', async () => {
        const large = Buffer.from(Array.from({ length: 700_001 }, (_, i) => (i * 31 + (i >> 8)) & 0xff));
        const { changes } = await run(COMMANDS.double, [file('large.bin', large)]);
        const after = changes.map((change) => change.after);
        expect(after).toHaveLength(1);
        expect(after[0]?.kind === 'file' && hash(after[0].bytes)).toBe(hash(Buffer.concat([large, large])));
      });

      test('a workspace of 2,000 files arrives completely, also as a stream', async () => {
        async function* files() {
          for (let i = 0; i < 2000; i++) yield file(`d${i % 40}/f${i}`, `${i}`);
        }
        const result = await run(COMMANDS.count, files());
        expect([textOf(result).trim(), result.changes]).toEqual(['2000', []]);
      });

      test('more entries than the limit end the job without an effect', async () => {
        expect(await run(COMMANDS.makeMany, [], { deltaFiles: 5 })).toMatchObject({
          ended: 'limit',
          reason: 'delta_files',
          changes: [],
        });
      });

      test('more bytes than the limit end the job without an effect', async () => {
        expect(await run(COMMANDS.makeLarge, [], { deltaBytes: 4999 })).toMatchObject({
          ended: 'limit',
          reason: 'delta_bytes',
          changes: [],
        });
      });

      test('exactly the limit is allowed', async () => {
        expect(await run(COMMANDS.makeLarge, [], { deltaBytes: 5000, deltaFiles: 1 })).toMatchObject({
          ended: 'exited',
          changes: [{ path: 'large' }],
        });
      });
    });

    describe('egress', () => {
      const runOut = (serve: (connection: Duplex) => void) =>
        under.sandbox.run({ ...jobOf(COMMANDS.speakOut), egress: { serve } }, new AbortController().signal);

      test("a connection to the job's proxy is passed on unchanged", async () => {
        const result = await runOut((connection) => {
          void once(connection, 'data').then(([bytes]) => connection.write(`pong to ${(bytes as Buffer).toString()}`));
        });
        expect(result).toMatchObject({ ended: 'exited', exitCode: 0, changes: [] });
        expect(textOf(result)).toBe('pong to ping\n');
      });

      test('a job without egress has no proxy', async () => {
        expect(await run(COMMANDS.speakOut)).toMatchObject({ ended: 'exited', exitCode: 1 });
      });

      test('a connection ends with its job', async () => {
        let connection: Duplex | undefined;
        await runOut((taken) => {
          connection = taken;
          taken.write('answer\n');
        });
        expect(connection?.destroyed).toBe(true);
      });

      test('a refused connection affects only its job', async () => {
        expect(await runOut((connection) => connection.destroy())).toMatchObject({ ended: 'exited', changes: [] });
      });
    });

    connectedJobs(() => under, jobOf, textOf);

    test('the next job sees nothing of an earlier one', async () => {
      await run(COMMANDS.failAfterWriting);
      expect(textOf(await run(COMMANDS.look))).toBe('');
    });

    test.each([
      ['an absolute path', [file('/a')]],
      ['a way out', [file('a/../../b')]],
      ['an empty segment', [file('a//b')]],
      ['a NUL', [file('a\0b')]],
      ['half a surrogate pair', [file('a\ud800')]],
      ['a path twice', [file('a'), dir('a')]],
      ['a file below a file', [file('a'), file('a/b')]],
      ['a file above a file', [file('a/b'), file('a')]],
      ['a file below a link', [symlink('a', 'b'), file('a/c')]],
      ['an empty target', [symlink('a', '')]],
    ])('a workspace with %s is refused', async (_, files) => {
      await expect(run(COMMANDS.succeed, files)).rejects.toThrow(SandboxJobError);
    });

    test.each([
      ['an empty command', { command: '' }],
      ['a working directory outside', { cwd: '..' }],
      ['a variable without a name', { env: { '': 'x' } }],
      ['a NUL in a variable', { env: { A: '\0' } }],
      ['too much stdin', { stdin: new Uint8Array(4 * MIB + 1) }],
    ])('a job with %s is refused', async (_, part) => {
      await expect(
        under.sandbox.run({ ...jobOf(COMMANDS.succeed), ...part }, new AbortController().signal),
      ).rejects.toThrow(SandboxJobError);
    });
  });
}
