// SPDX-License-Identifier: Apache-2.0
import { USAGE_COUNTERS } from '@writ/contract';
import type { SandboxLimits } from '@writ/sandbox';
import type { ContainerSandbox } from './container-sandbox.ts';
import { LIMITS, runIn, textOf, until } from './runs.contract.ts';

export interface HostileUnderTest {
  readonly sandbox: ContainerSandbox;
  readonly image: string;
}

export interface HostileTraits {
  /** whether the engine bounds the processes of a job (`pids`) itself; a fork bomb runs only where it does */
  readonly boundsProcesses: boolean;
  /** whether the agent's messages are sealed: a job without the key can't forge them */
  readonly sealsOutput: boolean;
}

/** The number of the agent's process, found by its exact command line: the job's own contains this text too. */
const AGENT =
  '$(for p in /proc/[0-9]*; do case "$(tr "\\0" " " < $p/cmdline 2>/dev/null)" in ' +
  '"/opt/writ/agent "*) echo ${p#/proc/};; esac; done)';
/** Its streams: bytes that a job writes there arrive as messages of the agent. */
const AGENT_STDOUT = `/proc/${AGENT}/fd/1`;
/** A command that runs these lines. */
const pythonOf = (...lines: readonly string[]): string => `python3 -c "${lines.join('\n')}"`;

/** The attacks that every sandbox of containers must withstand, whatever its engine. `open` is called once. */
export function hostileContract(
  name: string,
  open: () => Promise<HostileUnderTest>,
  { boundsProcesses, sealsOutput }: HostileTraits,
): void {
  describe(name, () => {
    let sandbox: ContainerSandbox;
    let image: string;
    beforeAll(async () => {
      ({ sandbox, image } = await open());
    }, 240_000);
    afterAll(() => sandbox.close(), 240_000);
    /** Where an end can be forged, it is accepted: it is only the job's own report, and removes its own effect. */
    const FORGED = sealsOutput
      ? { ended: 'invalid', reason: 'protocol', changes: [] }
      : { ended: 'exited', exitCode: 0, changes: [] };
    const run = (command: string, limits: Partial<SandboxLimits> = {}) => runIn(sandbox, image, command, limits);

    describe('limits that are hit', () => {
      test('a memory hog ends as `limit` and the container is gone', async () => {
        const result = await run('python3 -c "x = bytearray(1 << 30)"');
        expect(result).toMatchObject({ ended: 'limit', reason: 'memory', changes: [] });
      });

      test('memory is shared by all processes and the files', async () => {
        const result = await run(
          'head -c 30M /dev/zero > /tmp/a; head -c 30M /dev/zero > b; python3 -c "x = bytearray(100 << 20)"',
        );
        expect(result).toMatchObject({ ended: 'limit', reason: 'memory' });
      });

      test.runIf(boundsProcesses)('a fork bomb ends with its job', async () => {
        const result = await run(':(){ :|:& };:; wait', { wallMs: 1500 });
        expect(['exited', 'timeout', 'limit']).toContain(result.ended);
        expect(await run('echo fine')).toMatchObject({ ended: 'exited', exitCode: 0 });
      });

      test.runIf(boundsProcesses)(
        'a job that uses up all processes and then floods is cut, and the agent goes on',
        async () => {
          // While the agent reads the flood, its runtime compiles hot code and collects garbage, on other threads if it
          // may.
          const flood = pythonOf(
            'import os, time',
            'try:',
            '    while True:',
            '        if os.fork() == 0:',
            '            time.sleep(60)',
            '            os._exit(0)',
            'except OSError: pass',
            "for _ in range(3000): os.write(1, b'x' * 65536)",
          );
          for (let time = 0; time < 5; time++) {
            const result = await run(flood, { wallMs: 60_000, outputBytes: 100_000 });
            expect([result.ended, result.exitCode, textOf(result).length]).toEqual(['exited', 0, 100_000]);
          }
        },
        120_000,
      );

      test('a disk filler reaches the size limit of the workspace', async () => {
        const result = await run('head -c 100M /dev/zero > full; echo $?; stat -c %s full; rm full', {
          memoryBytes: 256 << 20,
        });
        expect(textOf(result)).toContain(`No space left on device\n1\n${LIMITS.tmpfsBytes}\n`);
      });

      test('a maker of many files reaches the limit of inodes or of changes', async () => {
        const result = await run('for i in $(seq 2000); do : > f$i; done');
        expect(result).toMatchObject({ ended: 'limit', reason: 'delta_files', changes: [] });
      });

      test('a sparse file of a terabyte takes no terabyte anywhere', async () => {
        expect(await run('truncate -s 1T huge || truncate -s 1G huge')).toMatchObject({
          ended: 'limit',
          reason: 'delta_bytes',
          changes: [],
        });
      });

      test('an endless flood on both streams is cut and ended in time', async () => {
        const result = await run('yes & yes >&2', { wallMs: 1500, outputBytes: 10_000 });
        expect(result).toMatchObject({ ended: 'timeout', reason: 'wall' });
        expect(textOf(result)).toHaveLength(10_000);
        expect(result.truncatedBytes).toBeGreaterThan(100_000);
      });

      test('a workspace that does not fit ends as `limit`', async () => {
        const files = [{ path: 'large', kind: 'file' as const, mode: '644' as const, bytes: new Uint8Array(40 << 20) }];
        expect(await runIn(sandbox, image, 'true', {}, { files })).toMatchObject({
          ended: 'limit',
          reason: 'workspace_space',
        });
      });
    });

    describe('remaining processes', () => {
      test('background processes end with the command, whatever process group they are in', async () => {
        const started = performance.now();
        const result = await run('sleep 1000 & (setsid sleep 1000 &) ; nohup sleep 1000 > /dev/null 2>&1 & echo done');
        expect(result).toMatchObject({ ended: 'exited', exitCode: 0 });
        expect(performance.now() - started).toBeLessThan(120_000);
      });

      test('nothing writes to the workspace once the command has ended', async () => {
        const result = await run('(setsid bash -c "while :; do echo x >> late; done" &); sleep 0.2');
        expect(result).toMatchObject({ ended: 'exited', changes: [{ path: 'late' }] });
      });

      test('a job that ignores every signal ends at its time', async () => {
        expect(await run('trap "" TERM INT HUP QUIT; while :; do sleep 1; done', { wallMs: 500 })).toMatchObject({
          ended: 'timeout',
          reason: 'wall',
        });
      });

      test('zombies are reaped by process 1', async () => {
        const result = await run(
          'for i in $(seq 100); do (sleep 0.01 &) ; done; sleep 0.5; ' +
            'grep -l "^State:.Z" /proc/[0-9]*/status 2>/dev/null | wc -l',
        );
        expect(textOf(result).trim()).toBe('0');
      });
    });

    describe('invalid effects', () => {
      test.each([
        ['a FIFO', 'mkfifo pipe', 'entry_special'],
        ['a socket', 'python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'s\')"', 'entry_special'],
        ['a name that is not UTF-8', 'touch "$(printf \'a\\377b\')"', 'entry_name'],
        ['a link whose target is not UTF-8', 'ln -s "$(printf \'\\377\')" link', 'entry_name'],
        ["a directory that can't be read", 'mkdir d && touch d/x && chmod 000 d', 'entry_unreadable'],
        ["a file that can't be read", 'echo x > f && chmod 000 f', 'entry_unreadable'],
      ])('%s makes the effect invalid, and says where', async (_, command, reason) => {
        const result = await run(command);
        expect(result).toMatchObject({ ended: 'invalid', reason, changes: [] });
        expect(result.detail).not.toBeNull();
      });

      test('a hard link becomes a separate file, and a link out of the workspace stays a text', async () => {
        const result = await run('echo x > a && ln a b && ln -s /etc/shadow c && ln -s / d');
        expect(result.changes.map(({ path, after }) => [path, after?.kind])).toEqual([
          ['a', 'file'],
          ['b', 'file'],
          ['c', 'symlink'],
          ['d', 'symlink'],
        ]);
      });
    });

    describe('attacks on the agent', () => {
      test('forged frames fail their own job only', async () => {
        const forged = run(`head -c 100000 /dev/urandom > ${AGENT_STDOUT}; echo still here`);
        const [bad, good] = await Promise.all([forged, run('sleep 0.3; echo fine')]);
        expect(bad).toMatchObject({ ended: 'invalid', reason: 'protocol', changes: [] });
        expect(good).toMatchObject({ ended: 'exited', exitCode: 0 });
      });

      test("a flood of the agent's error stream fails the job", async () => {
        expect(await run(`yes > /proc/${AGENT}/fd/2`)).toMatchObject({ ended: 'invalid', reason: 'protocol' });
      });

      // exit {code: 0}, then end {changes: 0}, in the agent's encoding.
      const FORGED_END =
        'python3 -c "import struct, json, os; ' +
        "f = lambda t, o: struct.pack('>IBB', len(json.dumps(o)), 1, t) + json.dumps(o).encode(); " +
        'os.write(1, f(67, dict(code=0, signal=None, timed_out=False, dropped_bytes=0)) + f(70, dict(changes=0)))"';

      test("a well-formed forgery affects only the job's own report", async () => {
        // The job hides its exit status, and loses its effect with it.
        expect(await run(`echo x > made; ${FORGED_END} > ${AGENT_STDOUT}; sleep 5; exit 3`)).toMatchObject(FORGED);
      });

      test('a job that forges its end and keeps flooding is removed all the same', async () => {
        await until('those before are gone', () => sandbox.containers.length === 0);
        expect(await run(`${FORGED_END} > ${AGENT_STDOUT}; exec cat /dev/zero > ${AGENT_STDOUT}`)).toMatchObject(
          FORGED,
        );
        if (!sealsOutput) expect(sandbox.containers).toHaveLength(1);
        await until('its container is gone', () => sandbox.containers.length === 0);
      });

      test('a stopped agent is abandoned in time', async () => {
        const result = await run(`kill -STOP ${AGENT}; sleep 100`, { wallMs: 500 });
        expect(result).toMatchObject({ ended: 'timeout', reason: 'wall', exitCode: null, signal: null, changes: [] });
      });

      test('a killed agent loses the job', async () => {
        expect(await run(`kill -KILL ${AGENT}; sleep 100`)).toMatchObject({
          ended: 'lost',
          reason: 'container',
          changes: [],
        });
      });
    });

    test('usage is measured', async () => {
      const { usage } = await run(
        'python3 -c "import time\nend = time.process_time() + 0.5\n' +
          'while time.process_time() < end: pass\nx = bytearray(50 << 20)"',
      );
      expect(usage.cpuMs).toBeGreaterThanOrEqual(400);
      expect(usage.cpuMs).toBeLessThan(3000);
      expect(usage.wallMs).toBeGreaterThanOrEqual(500);
      expect(usage.memoryPeakBytes).toBeGreaterThan(50 << 20);
      // Without a counter there is no figure.
      expect(USAGE_COUNTERS).toContain(usage.countedBy);
    });

    test('no container outlives its job', async () => {
      await sandbox.close();
      expect(sandbox.containers).toEqual([]);
    });
  });
}
