// SPDX-License-Identifier: Apache-2.0
// A command that tries to escape, to use more than its share, or to forge reports. Nothing that a container sends
// grants rights: the call ends with a code, the workspace holds what the kernel checked, and every process survives.
import { vi } from 'vitest';
import { isFaultCode } from '@writ/contract';
import type { JsonValue, World } from '@writ/stack';
import { expectEnded, HostileWorld } from './hostile-world.ts';

// Each case is some thirty commands in a row, in containers of a machine that other suites use, too.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

let hostile: HostileWorld;
let world: World;
beforeAll(async () => {
  hostile = await HostileWorld.open();
  ({ world } = hostile);
});
afterAll(() => hostile?.close());
afterEach(() => hostile.expectUnharmed());

const head = async (): Promise<string> =>
  (await world.admin.get(`/v1/workspaces/${world.workspaceId}`)).body.head_snapshot_id as string;
const run = (command: string, over: Record<string, unknown> = {}): Promise<JsonValue> => hostile.run(command, over);
const program = (text: string, over: Record<string, unknown> = {}): Promise<JsonValue> => hostile.program(text, over);

describe('forged frames', () => {
  // Type, length and payload as the agent would write them; the job guesses, repeats and breaks them.
  const WRITERS = ['/proc/1/fd/1', '/proc/1/fd/2', '/proc/1/fd/0', '/proc/self/fd/1', '/dev/console', '/proc/1/mem'];

  it("a job that writes into the agent's own channel commits nothing that it wasn't granted", async () => {
    const before = await head();
    for (const writer of WRITERS) {
      const body = await program(
        `printf '\\x00\\x00\\x00\\x20\\x05{"path":"docs/b.txt","after":null}' > ${writer} 2>/dev/null; head -c 65536 /dev/urandom > ${writer} 2>/dev/null; true`,
      );
      if (body.status === 'error') expectEnded(body);
      else expect(body.tx_outcome).toBe('no_op');
      expect(await world.file('docs/b.txt')).toBe('two\n');
    }
    // An administrator added only the programs themselves.
    const { changes } = (await world.admin.get(`/v1/workspaces/${world.workspaceId}/diff?from=${before}`)).body;
    expect(changes.every(({ path }: { path: string }) => path.startsWith('src/p-'))).toBe(true);
  });

  it('a job that kills or stops the agent is a call that failed', async () => {
    for (const [signal, whom] of [
      ['KILL', '1'],
      ['KILL', '$PPID'],
      ['KILL', '-1'],
      ['TERM', '1'],
      ['SEGV', '$PPID'],
      ['STOP', '-1'],
    ] as const) {
      const body = await program(`echo half > src/half.txt; kill -${signal} ${whom}; sleep 1; exit 1`, {
        timeout_ms: 2_000,
      });
      expectEnded(body, 'command.killed', 'command.timeout', 'command.failed');
      expect(body.operation_id).toBeDefined();
      expect(await world.file('src/half.txt')).toBeNull();
    }
  });
});

describe('more than its share', () => {
  it('a fork bomb that the policy recognises is refused', async () => {
    expect(await run(':(){ :|:& };:')).toMatchObject({ status: 'error', error: { code: 'policy.denied' } });
  });

  it('background processes end with the call', async () => {
    const body = await run(
      '(sleep 300; echo late > src/late.txt) & nohup setsid sleep 300 >/dev/null 2>&1 & echo started',
    );
    expect(body.result.output).toBe('started\n');
    expect(await world.file('src/late.txt')).toBeNull();
  });
});

describe('names and kinds', () => {
  it('valid odd names are kept; names that are not text, and special files, are refused', async () => {
    const odd = [
      'new\\nline',
      'tab\\there',
      ' blank ',
      '-rf',
      "'quoted'",
      '"double"',
      '$(touch x)',
      '*',
      '\\u202e',
      'a:b',
      '\\u00e9',
      '%2e%2e',
      '.hidden',
      'con',
      '\\x01',
    ];
    for (const name of odd) {
      const body = await run(`mkdir -p src/odd; cd src; echo fine > $'odd/${name.replaceAll("'", "\\'")}'`);
      if (body.status === 'ok') expect({ name, said: body.tx_outcome }).toEqual({ name, said: 'committed' });
      else expectEnded(body);
    }
    const kept = (await world.call('fs.list', { path: 'src/odd' })).body;
    expect(kept.status).toBe('ok');
    for (const [what, command] of Object.entries({
      "bytes that aren't UTF-8": `printf x > $'src/\\xff\\xfe'`,
      'half a character': `printf x > $'src/\\xc3'`,
      'a pipe': 'mkfifo src/pipe',
      'a socket': "node -e \"require('net').createServer().listen('src/socket', () => process.exit())\"",
      'a name of 300 bytes': `printf x > src/${'x'.repeat(300)}`,
    })) {
      const body = await run(command);
      if (body.status === 'ok') expect({ what, said: body.tx_outcome }).toEqual({ what, said: 'no_op' });
      else expectEnded(body);
    }
    expect((await run('mknod src/dev c 1 3')).status).toBe('error');
    expect((await run('chmod 4755 src/a.txt; stat -c %a src/a.txt')).tx_outcome).not.toBe('rolled_back');
    const { entries } = (await world.admin.get(`/v1/workspaces/${world.workspaceId}/tree?path=src`)).body;
    for (const { state } of entries as { state: { kind: string; mode: string | null } }[])
      expect(['file:644', 'file:755', 'dir:null', 'symlink:null']).toContain(`${state.kind}:${String(state.mode)}`);
  });

  it('a link out of the workspace leads nowhere for the tools that read it', async () => {
    expect(
      (await run('ln -s /etc/passwd src/passwd; ln -s ../private/c.txt src/private; ln -s /proc/1/environ src/environ'))
        .tx_outcome,
    ).toBe('committed');
    for (const path of ['src/passwd', 'src/private', 'src/environ']) {
      const body = (await world.call('fs.read', { path })).body;
      expect({ path, status: body.status, isKnown: isFaultCode(body.error?.code) }).toEqual({
        path,
        status: 'error',
        isKnown: true,
      });
      expect(JSON.stringify(body)).not.toMatch(/root:|hidden/);
    }
    const search = (await world.call('fs.search', { pattern: 'hidden|root:', regex: true })).body;
    expect(JSON.stringify(search.result?.matches ?? [])).not.toMatch(/private|passwd/);
  });

  it('a directory that became a link imports nothing from outside', async () => {
    const body = await run('mkdir src/d; echo x > src/d/x; mv src/d src/e; ln -s /tmp src/d; echo y > src/d/y');
    expect(body.tx_outcome).toBe('committed');
    expect(await world.file('src/e/x')).toBe('x\n');
    expect((await world.call('fs.read', { path: 'src/d/y' })).body.status).toBe('error');
  });
});

describe('out of the container', () => {
  it('a command sees only what it was given', async () => {
    const body = await program(
      [
        'id -u; cat /proc/self/status | grep -E "CapEff|NoNewPrivs|Seccomp:"',
        'ls / ; ls /workspace; cat /workspace/private/c.txt',
        'env',
        'cat /proc/1/environ | tr "\\0" "\\n"',
        'ls -la /var/run/docker.sock /run/docker.sock',
        'mount',
        'ls /proc | grep -cE "^[0-9]+$"',
        'true',
      ].join('; '),
    );
    const output = body.result.output as string;
    expect(output).toMatch(/CapEff:\s+0{16}/);
    expect(output).toMatch(/NoNewPrivs:\s+1/);
    expect(output).toMatch(/Seccomp:\s+2/);
    expect(output.split('\n')[0]).not.toBe('0');
    expect(output).not.toMatch(/hidden|WRIT_|NATS|postgres:|srw.*docker\.sock/);
  });

  it('reaches no network', async () => {
    const port = new URL(hostile.stack.url).port;
    const body = await program(
      `for host in 127.0.0.1 172.17.0.1 10.0.2.2 169.254.169.254; do (timeout 1 bash -c "exec 3<>/dev/tcp/$host/${port}") 2>/dev/null && echo open $host; done; getent hosts example.org; cat /proc/net/route | wc -l; true`,
      { timeout_ms: 20_000 },
    );
    expect(body.result.output).not.toMatch(/open|example/);
  });

  it('writes nowhere but into its own workspace and scratch space', async () => {
    const body = await program(
      'for d in / /etc /usr /bin /proc/sys/kernel /sys /dev /root /home; do echo x > $d/evil 2>/dev/null && echo wrote $d; done; true',
    );
    expect(body.result.output.replaceAll(/wrote \/(dev|home)\n/g, '')).not.toContain('wrote');
  });

  it('a command leaves nothing behind for the next call', async () => {
    await program('echo left > /tmp/left; echo left > /dev/shm/left 2>/dev/null; true');
    expect((await run('cat /tmp/left /dev/shm/left 2>&1; true')).result.output).not.toMatch(/^left$/m);
  });
});
