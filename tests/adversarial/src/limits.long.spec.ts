// SPDX-License-Identifier: Apache-2.0
// A real command reaches each limit: its error is clear, a command that a limit ended commits nothing, and the next
// command runs.
import { vi } from 'vitest';
import { makeWorld, type JsonValue, type World } from '@writ/stack';
import { expectEnded, HostileWorld } from './hostile-world.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let hostile: HostileWorld;
beforeAll(async () => {
  hostile = await HostileWorld.open();
});
afterAll(() => hostile?.close());
afterEach(() => hostile.expectUnharmed());

const HOUR_MS = 3_600_000;
const MIB = 2 ** 20;
const python = (text: string, over: Record<string, unknown> = {}) => hostile.program(text, over, 'python3');
const outputOf = (body: JsonValue): string => (body.result?.output ?? body.error?.message ?? '') as string;

describe('memory', () => {
  it('one process beyond the limit ends the command', async () => {
    const body = await python('open("src/half", "w").write("x")\nx = bytearray(2 << 30)\n');
    expectEnded(body, 'limit.exceeded');
    expect(body.error.message).toContain('memory');
    expect(await hostile.world.file('src/half')).toBeNull();
  });

  it('many processes and their files count together', async () => {
    const body = await python(
      'import os, time\nopen("/tmp/f", "wb").write(bytes(300 << 20))\nfor _ in range(8):\n  if os.fork() == 0:\n    x = bytearray(b"x" * (150 << 20)); time.sleep(60)\nos.wait(); time.sleep(1); os.kill(os.getpid(), 9)\n',
      { timeout_ms: 60_000 },
    );
    expectEnded(body, 'limit.exceeded');
    expect(body.error.message).toContain('memory');
  });
});

describe('processes', () => {
  it('a command may have processes up to the limit, and its next fork fails', async () => {
    const body = await python(
      'import os, time\nn = 0\ntry:\n  while True:\n    if os.fork() == 0: time.sleep(60); os._exit(0)\n    n += 1\nexcept OSError as e: print(n, e.errno)\n',
    );
    expect(body).toMatchObject({ status: 'ok', tx_outcome: 'no_op' });
    const [count, errno] = outputOf(body).trim().split(' ').map(Number);
    expect(errno).toBe(11);
    expect(count).toBeGreaterThan(200);
    expect(count).toBeLessThan(256);
  });

  it('endless forks end at the time limit', async () => {
    expectEnded(
      await hostile.program('b() { b | b & }; echo x > src/bomb; b; sleep 60', { timeout_ms: 3_000 }),
      'command.timeout',
      'command.killed',
      'command.failed',
    );
    expect(await hostile.world.file('src/bomb')).toBeNull();
  });

  it('zombies count towards the limit, and are gone with the command', async () => {
    const body = await python(
      'import os\nfor n in range(10000):\n  try:\n    if os.fork() == 0: os._exit(0)\n  except OSError: break\nprint(n)\n',
    );
    expect(body).toMatchObject({ status: 'ok' });
    expect(Number(outputOf(body))).toBeLessThan(256);
    expect(outputOf(await hostile.run('grep -l "^State:.Z" /proc/[0-9]*/status 2>/dev/null | wc -l')).trim()).toBe('0');
  });

  it('a process may open files up to the limit', async () => {
    expect(
      outputOf(
        await python(
          'import os\nn = 0\ntry:\n  while True: os.open("/dev/null", 0); n += 1\nexcept OSError as e: print(n < 4096, e.errno)\n',
        ),
      ).trim(),
    ).toBe('True 24');
  });
});

describe('time', () => {
  it('wall-clock time ends a command that sleeps, and one that ignores signals', async () => {
    for (const command of ['sleep 100', 'trap "" TERM INT HUP QUIT USR1; while :; do sleep 1; done']) {
      const began = performance.now();
      const body = await hostile.program(`echo x > src/late; ${command}`, { timeout_ms: 1_500 });
      expectEnded(body, 'command.timeout');
      expect(performance.now() - began).toBeLessThan(20_000);
      expect(await hostile.world.file('src/late')).toBeNull();
    }
  });

  it('idle time ends a silent command, and none that prints', async () => {
    const body = await hostile.run('echo asked; sleep 100', { idle_ms: 1_000, timeout_ms: 60_000 });
    expectEnded(body, 'command.timeout');
    expect(body.error).toMatchObject({
      message: 'the command said nothing for 1000 ms',
      hint: expect.stringContaining('`idle_ms`') as unknown,
    });
    expect(await hostile.run('for i in 1 2 3 4 5 6; do echo $i; sleep 0.4; done', { idle_ms: 1_500 })).toMatchObject({
      status: 'ok',
      result: { exit_code: 0 },
    });
  });

  it('processor time ends a busy loop', async () => {
    const { admin, agentId, workspaceId } = hostile.world;
    const grant = {
      tools: ['shell.*'],
      fs: [{ path: 'src', read: true, write: true }],
      net: [],
      secrets: [],
      budgets: { cpu_ms: 1_500 },
      not_before: 0,
      expires_at: Date.now() + HOUR_MS,
    };
    const token = await admin.must('/v1/capability-tokens', { agent_id: agentId, workspace_id: workspaceId, grant });
    const { body } = await hostile.world.call(
      'shell.run',
      { command: 'echo x > src/burnt; while :; do :; done' },
      { capability_token_id: token.capability_token_id },
    );
    expectEnded(body, 'limit.exceeded');
    expect(body.error.message).toContain('processor time');
    expect(await hostile.world.file('src/burnt')).toBeNull();
  });
});

describe('space', () => {
  it('in the workspace and in /tmp is limited, and the command gets ENOSPC', async () => {
    for (const path of ['src/full', '/tmp/full']) {
      const body = await hostile.program(`head -c 700M /dev/zero > ${path}; stat -c %s ${path}; rm ${path}`, {
        timeout_ms: 60_000,
      });
      expect(outputOf(body)).toContain('No space left on device\n');
      const bytes = Number(outputOf(body).trim().split('\n').at(-1));
      expect({ path, isFull: bytes > 511 * MIB && bytes <= 512 * MIB }).toEqual({ path, isFull: true });
    }
  });

  it('for more bytes than a call may write is not granted', async () => {
    const body = await hostile.program('head -c 257M /dev/zero > src/full', { timeout_ms: 60_000 });
    expectEnded(body, 'limit.exceeded');
    expect(await hostile.world.file('src/full')).toBeNull();
  });

  it('the call limits changed files, the container all files', async () => {
    const many = await python(
      'import os\nos.mkdir("src/many")\nfor i in range(24001): open(f"src/many/{i}", "w").close()\n',
      { timeout_ms: 60_000 },
    );
    expectEnded(many, 'limit.exceeded');
    expect(many.error.message).toContain('24000 entries');
    const nodes = await python(
      'import os\nos.mkdir("/tmp/n")\ntry:\n  for i in range(300000): os.close(os.open(f"/tmp/n/{i}", 64))\nexcept OSError as e: print(i > 200000, e.errno)\n',
      { timeout_ms: 60_000 },
    );
    expect(outputOf(nodes).trim()).toBe('True 28');
  });

  it('output beyond the limit is cut and marked, however long it gets', async () => {
    const body = await hostile.run('yes 0123456789 | head -c 50000000; echo last >&2');
    expect(body).toMatchObject({ status: 'ok', tx_outcome: 'no_op' });
    expect(body.result.truncated_bytes).toBe(50_000_005 - 200_000);
    expect(body.whole_output).toMatchObject({
      stdout: { bytes: 16 * 1024 * 1024, cut: true },
      stderr: { bytes: 0, cut: true },
    });
    expectEnded(await hostile.run('yes; true', { timeout_ms: 2_000 }), 'command.timeout');
  });
});

describe('a workspace', () => {
  let full: World;
  const runIn = async (command: string, over: Record<string, unknown> = {}): Promise<JsonValue> =>
    (await full.call('shell.run', { command }, over, 55_000)).body;

  it('that is full leaves a command space to write; beyond its limit no command starts', async () => {
    full = await makeWorld(hostile.stack.url, hostile.stack.keys.platformKey, { files: { 'small/a.txt': 'one\n' } });
    expect(await runIn('mkdir big; for i in 1 2 3 4; do head -c 50M /dev/zero > big/$i; done')).toMatchObject({
      tx_outcome: 'committed',
    });
    expect(await runIn('head -c 60M /dev/zero > big/5; cat small/a.txt')).toMatchObject({
      tx_outcome: 'committed',
      result: { output: 'one\n' },
    });
    const body = await runIn('cat small/a.txt');
    expectEnded(body, 'limit.exceeded');
    expect(body.error).toMatchObject({
      message: expect.stringContaining('take 261 MiB, more than the 256 MiB') as unknown,
      hint: expect.stringContaining('a token that reads less') as unknown,
    });
  });

  it('that is too large for one token fits another that reads less of it', async () => {
    const grant = {
      tools: ['shell.*'],
      fs: [{ path: 'small', read: true, write: true }],
      net: [],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + HOUR_MS,
    };
    const token = await full.admin.must('/v1/capability-tokens', {
      agent_id: full.agentId,
      workspace_id: full.workspaceId,
      grant,
    });
    expect(await runIn('cat small/a.txt', { capability_token_id: token.capability_token_id })).toMatchObject({
      status: 'ok',
      result: { output: 'one\n' },
    });
  });
});
