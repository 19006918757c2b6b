// SPDX-License-Identifier: Apache-2.0
import type { Shell, ShellTurn } from '@writ/sandbox';
import { shellsContract } from '@writ/sandbox/contract';
import type { DockerSandbox } from './docker-sandbox.ts';
import { openSandbox, until } from './engine.contract.ts';

shellsContract('shells in Docker containers', async () => {
  const { sandbox, image } = await openSandbox();
  return { shells: sandbox.shells, image, close: () => sandbox.close() };
});

const MIB = 1024 * 1024;
const size = { memoryBytes: 128 * MIB, cpus: 1, pids: 64, tmpfsBytes: 32 * MIB };
let sandbox: DockerSandbox;
let image: string;
let shell: Shell;

beforeAll(async () => {
  ({ sandbox, image } = await openSandbox());
}, 240_000);
beforeEach(async () => {
  shell = await sandbox.shells.open(
    { image, files: [], env: {}, size: { cols: 80, rows: 24 }, labels: {}, limits: size },
    new AbortController().signal,
  );
});
afterEach(() => shell.close());
afterAll(() => sandbox.close(), 240_000);

const turn = (asked: Partial<ShellTurn>) =>
  shell.turn(
    {
      yieldMs: 10_000,
      limits: { cpuMs: 20_000, cpus: 1, outputBytes: 200_000, deltaBytes: MIB, deltaFiles: 100 },
      ...asked,
    },
    new AbortController().signal,
  );
const textOf = async (asked: Partial<ShellTurn>) => Buffer.from((await turn(asked)).output).toString();
const isEmpty = () => until('the container is removed', () => sandbox.containers.length === 0);

describe("a session's container", () => {
  test('is isolated like that of a job: no network, no root, writable only in the workspace and /tmp', async () => {
    expect(
      await textOf({
        command:
          'id -u; ls /sys/class/net; touch /etc/x 2>&1 | tail -c 22; grep -E "^(CapEff|NoNewPrivs|Seccomp):" /proc/self/status | tr -d "\\t"',
      }),
    ).toBe('10001\r\nlo\r\nRead-only file system\r\nCapEff:0000000000000000\r\nNoNewPrivs:1\r\nSeccomp:2\r\n');
  });

  test('shows no prompt, whatever a command sets it to, and reports each status', async () => {
    expect(
      await textOf({
        command: 'PS1="(venv) ${PS1:-}"; export PS1; PS2="more> "; PS0="runs "; PROMPT_COMMAND="echo prompted"',
      }),
    ).toBe('');
    const { output, exitCode } = await turn({ command: 'echo one\necho two; (exit 7)' });
    expect([Buffer.from(output).toString(), exitCode]).toEqual(['one\r\ntwo\r\n', 7]);
    expect((await turn({ command: 'PS1="$ "; echo \'' })).exitCode).toBe(2);
    expect(await textOf({ command: 'echo on' })).toBe('on\r\n');
  });

  test('is removed with the shell', async () => {
    await turn({ command: 'sleep 1000 &' });
    await shell.close();
    await isEmpty();
  });
});

describe('hostile jobs', () => {
  test("a job that forges frames over the agent's own stream ends only its session", async () => {
    await expect(
      turn({
        command:
          'for p in /proc/[0-9]*; do printf "\\0\\0\\0\\15\\1\\106{\\"changes\\":9}" > $p/fd/1; done 2>/dev/null',
      }),
    ).rejects.toMatchObject({ ended: 'invalid' });
    await isEmpty();
  });

  test('a flood of output is cut, and its shell goes on', async () => {
    const flooded = await turn({ command: 'head -c 30000000 /dev/zero | tr "\\0" x' });
    expect(flooded).toMatchObject({ state: 'idle', exitCode: 0 });
    expect(flooded.output.length).toBe(200_000);
    expect(flooded.truncatedBytes).toBe(29_800_000);
    expect(await textOf({ command: 'echo on' })).toBe('on\r\n');
  });

  test('a background job that floods between turns is cut too', async () => {
    await turn({ command: '(head -c 3000000 /dev/zero | tr "\\0" x; touch over) &' });
    let flooded = await turn({});
    while (!flooded.changes.some(({ path }) => path === 'over')) flooded = await turn({});
    expect(await textOf({ command: 'echo on' })).toContain('on\r\n');
  });

  test('a job that kills everything that it can ends its session', async () => {
    await expect(turn({ command: 'kill -9 -1' })).rejects.toMatchObject({ name: 'ShellEnded' });
    await isEmpty();
  });

  test("a job that uses more processor time than the call's limit is ended", async () => {
    await expect(
      turn({
        command: 'while :; do :; done',
        limits: { cpuMs: 500, cpus: 1, outputBytes: 1000, deltaBytes: MIB, deltaFiles: 100 },
      }),
    ).rejects.toMatchObject({ ended: 'limit', reason: 'cpu' });
  });

  test('a job that fills the memory is ended, or the shell is', async () => {
    const end = await turn({ command: 'x=$(head -c 400000000 /dev/zero | tr "\\0" x)' }).then(
      ({ state }) => state,
      (error: { ended: string }) => error.ended,
    );
    expect(['gone', 'limit', 'idle']).toContain(end);
  });

  test("an effect that a snapshot can't represent ends the session", async () => {
    await expect(turn({ command: 'mkfifo pipe' })).rejects.toMatchObject({ ended: 'invalid', reason: 'entry_special' });
  });
});
