// SPDX-License-Identifier: Apache-2.0
// A command that wants out, wants more than its share, or wants to say what isn't so. What comes out of a container is the job's word and grants
// nothing: the call ends with a code, the workspace holds what the kernel checked, and every process lives.
import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { isFaultCode } from '@writ/contract';
import { expectCleanLog, makeWorld, startStack, type JsonValue, type Stack, type World } from '@writ/stack';

jest.setTimeout(120_000);

let stack: Stack;
let world: World;
let pids: number[];

beforeAll(async () => {
  stack = await startStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'src/a.txt': 'one\n', 'docs/b.txt': 'two\n', 'private/c.txt': 'hidden\n' },
    fs: [{ path: 'src', read: true, write: true }, { path: 'docs', read: true, write: false }],
  });
  pids = Object.values(stack.services).map((service) => service.pid);
});
afterAll(async () => {
  expectCleanLog(stack);
  await stack?.stop();
});
afterEach(async () => {
  expect(Object.values(stack.services).map((service) => (service.isRunning ? service.pid : null))).toEqual(pids);
  expect((await world.call('shell.run', { command: 'cat src/a.txt' })).body).toMatchObject({ status: 'ok', result: { output: 'one\n' } });
});

const head = async (): Promise<string> => (await world.admin.get(`/v1/workspaces/${world.workspaceId}`)).body.head_snapshot_id as string;
const run = async (command: string, over: Record<string, unknown> = {}): Promise<JsonValue> => (await world.call('shell.run', { command, ...over }, {}, 55_000)).body;
/** Runs a program that the risk table would stop if it read it: from a file that an approved upload put there. */
async function program(text: string, over: Record<string, unknown> = {}): Promise<JsonValue> {
  const path = `src/p-${randomUUID()}.sh`;
  await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, { files: [{ path, content: text, mode: '755' }] });
  const body = await run(`bash ${path}`, over);
  if (body.state === 'held') await world.operator.must(`/v1/approvals/${body.approval_id as string}/approve`);
  return body.state === 'held' ? (await world.until(body.operation_id as string, ['committed', 'rolled_back', 'no_op'], 60_000)).result : body;
}
function expectEnded(body: JsonValue, ...codes: string[]): void {
  expect({ status: body.status, code: body.error?.code, isKnown: isFaultCode(body.error?.code), isExpected: codes.length === 0 || codes.includes(body.error?.code as string) })
    .toEqual({ status: 'error', code: body.error?.code, isKnown: true, isExpected: true });
  expect(body.tx_outcome).toBe('rolled_back');
}

describe('forged frames', () => {
  // Type, length, payload as the agent would write them; the job guesses, repeats and breaks them.
  const WRITERS = ['/proc/1/fd/1', '/proc/1/fd/2', '/proc/1/fd/0', '/proc/self/fd/1', '/dev/console', '/proc/1/mem'];

  it('a job that writes into the agent\'s own channel commits nothing that it wasn\'t granted', async () => {
    const before = await head();
    for (const writer of WRITERS) {
      const body = await program(`printf '\\x00\\x00\\x00\\x20\\x05{"path":"docs/b.txt","after":null}' > ${writer} 2>/dev/null; head -c 65536 /dev/urandom > ${writer} 2>/dev/null; true`);
      if (body.status === 'error') expectEnded(body);
      else expect(body.tx_outcome).toBe('no_op');
      expect(await world.file('docs/b.txt')).toBe('two\n');
    }
    // Only the programs themselves have been added, by an administrator.
    const { changes } = (await world.admin.get(`/v1/workspaces/${world.workspaceId}/diff?from=${before}`)).body;
    expect(changes.every(({ path }: { path: string }) => path.startsWith('src/p-'))).toBe(true);
  });

  it('a job that kills or stops the agent is a call that failed', async () => {
    for (const [signal, whom] of [['KILL', '1'], ['KILL', '$PPID'], ['KILL', '-1'], ['TERM', '1'], ['SEGV', '$PPID'], ['STOP', '-1']] as const) {
      const body = await program(`echo half > src/half.txt; kill -${signal} ${whom}; sleep 1; exit 1`, { timeout_ms: 2_000 });
      expectEnded(body, 'command.killed', 'command.timeout', 'command.failed');
      expect(body.operation_id).toBeDefined();
      expect(await world.file('src/half.txt')).toBeNull();
    }
  });
});

describe('more than its share', () => {
  it('a flood of output is cut, and said to be', async () => {
    const body = await run('yes 0123456789 | head -c 50000000');
    expect(body).toMatchObject({ status: 'ok', tx_outcome: 'no_op' });
    expect(body.result.truncated_bytes).toBeGreaterThan(40_000_000);
    expect(body.result.output.length).toBeLessThan(201_000);
    expect(body.result.output).toMatch(/\[output cut: \d+ more bytes\]$/);
  });

  it('an endless flood ends with its time', async () => {
    const body = await run('yes; true', { timeout_ms: 2_000 });
    expectEnded(body, 'command.timeout');
  });

  it('a fork bomb ends with its container', async () => {
    const refused = await run(':(){ :|:& };:');
    expect(refused).toMatchObject({ status: 'error', error: { code: 'policy.denied' } });
    const body = await program('b() { b | b & }; b; b; sleep 60', { timeout_ms: 3_000 });
    if (body.status === 'error') expectEnded(body);
  });

  it('a job that takes all the memory is killed alone', async () => {
    const body = await program('node -e "const a=[]; for(;;) a.push(Buffer.alloc(16777216, 1))"; x=$(head -c 4000000000 /dev/zero | tr "\\0" x); exit 1', { timeout_ms: 20_000 });
    expectEnded(body);
  });

  it('a job that fills the disk gets no further than its own', async () => {
    expectEnded(await program('head -c 600000000 /dev/zero > src/big.bin || exit 1; echo all of it', { timeout_ms: 30_000 }), 'command.failed', 'limit.exceeded');
    const many = await program('mkdir -p src/many; cd src/many; i=0; while [ $i -lt 21000 ]; do : > f$i; i=$((i+1)); done', { timeout_ms: 60_000 });
    expectEnded(many, 'limit.exceeded', 'command.timeout');
  });

  it('what goes on running in the background ends with the call', async () => {
    const body = await run('(sleep 300; echo late > src/late.txt) & nohup setsid sleep 300 >/dev/null 2>&1 & echo started');
    expect(body.result.output).toBe('started\n');
    expect(await world.file('src/late.txt')).toBeNull();
  });
});

describe('names and kinds', () => {
  it('names that are odd but fine are kept; names that are no text, and what is neither file, directory nor link, are refused', async () => {
    const odd = ['new\\nline', 'tab\\there', ' blank ', '-rf', '\'quoted\'', '"double"', '$(touch x)', '*', '\\u202e', 'a:b', '\\u00e9', '%2e%2e', '.hidden', 'con', '\\x01'];
    for (const name of odd) {
      const body = await run(`mkdir -p src/odd; cd src; echo fine > $'odd/${name.replaceAll('\'', '\\\'')}'`);
      if (body.status === 'ok') expect({ name, said: body.tx_outcome }).toEqual({ name, said: 'committed' });
      else expectEnded(body);
    }
    const kept = (await world.call('fs.list', { path: 'src/odd' })).body;
    expect(kept.status).toBe('ok');
    for (const [what, command] of Object.entries({
      'bytes that aren\'t UTF-8': `printf x > $'src/\\xff\\xfe'`,
      'half a character': `printf x > $'src/\\xc3'`,
      'a pipe': 'mkfifo src/pipe',
      'a socket': 'node -e "require(\'net\').createServer().listen(\'src/socket\', () => process.exit())"',
      'a name of 300 bytes': `printf x > src/${'x'.repeat(300)}`,
    })) {
      const body = await run(command);
      if (body.status === 'ok') expect({ what, said: body.tx_outcome }).toEqual({ what, said: 'no_op' });
      else expectEnded(body);
    }
    expect((await run('mknod src/dev c 1 3')).status).toBe('error');
    expect((await run('chmod 4755 src/a.txt; stat -c %a src/a.txt')).tx_outcome).not.toBe('rolled_back');
    const { entries } = (await world.admin.get(`/v1/workspaces/${world.workspaceId}/tree?path=src`)).body;
    for (const { state } of entries as { state: { kind: string; mode: string | null } }[]) expect(['file:644', 'file:755', 'dir:null', 'symlink:null']).toContain(`${state.kind}:${String(state.mode)}`);
  });

  it('a link out of the workspace leads nowhere for the tools that read it', async () => {
    expect((await run('ln -s /etc/passwd src/passwd; ln -s ../private/c.txt src/private; ln -s /proc/1/environ src/environ')).tx_outcome).toBe('committed');
    for (const path of ['src/passwd', 'src/private', 'src/environ']) {
      const body = (await world.call('fs.read', { path })).body;
      expect({ path, status: body.status, isKnown: isFaultCode(body.error?.code) }).toEqual({ path, status: 'error', isKnown: true });
      expect(JSON.stringify(body)).not.toMatch(/root:|hidden/);
    }
    const search = (await world.call('fs.search', { pattern: 'hidden|root:' , regex: true })).body;
    expect(JSON.stringify(search.result?.matches ?? [])).not.toMatch(/private|passwd/);
  });

  it('a directory that became a link takes nothing outside with it', async () => {
    const body = await run('mkdir src/d; echo x > src/d/x; mv src/d src/e; ln -s /tmp src/d; echo y > src/d/y');
    expect(body.tx_outcome).toBe('committed');
    expect(await world.file('src/e/x')).toBe('x\n');
    expect((await world.call('fs.read', { path: 'src/d/y' })).body.status).toBe('error');
  });
});

describe('out of the container', () => {
  it('sees nothing that it wasn\'t given', async () => {
    const body = await program([
      'id -u; cat /proc/self/status | grep -E "CapEff|NoNewPrivs|Seccomp:"', 'ls / ; ls /workspace; cat /workspace/private/c.txt',
      'env', 'cat /proc/1/environ | tr "\\0" "\\n"', 'ls -la /var/run/docker.sock /run/docker.sock', 'mount', 'ls /proc | grep -cE "^[0-9]+$"', 'true',
    ].join('; '));
    const output = body.result.output as string;
    expect(output).toMatch(/CapEff:\s+0{16}/);
    expect(output).toMatch(/NoNewPrivs:\s+1/);
    expect(output).toMatch(/Seccomp:\s+2/);
    expect(output.split('\n')[0]).not.toBe('0');
    expect(output).not.toMatch(/hidden|WRIT_|NATS|postgres:|srw.*docker\.sock/);
  });

  it('reaches no network', async () => {
    const port = new URL(stack.url).port;
    const body = await program(`for host in 127.0.0.1 172.17.0.1 10.0.2.2 169.254.169.254; do (timeout 1 bash -c "exec 3<>/dev/tcp/$host/${port}") 2>/dev/null && echo open $host; done; getent hosts example.org; cat /proc/net/route | wc -l; true`, { timeout_ms: 20_000 });
    expect(body.result.output).not.toMatch(/open|example/);
  });

  it('writes nowhere but into its own workspace and scratch space', async () => {
    const body = await program('for d in / /etc /usr /bin /proc/sys/kernel /sys /dev /root /home; do echo x > $d/evil 2>/dev/null && echo wrote $d; done; true');
    expect(body.result.output.replaceAll(/wrote \/(dev|home)\n/g, '')).not.toContain('wrote');
  });

  it('leaves nothing for the next call to find', async () => {
    await program('echo left > /tmp/left; echo left > /dev/shm/left 2>/dev/null; true');
    expect((await run('cat /tmp/left /dev/shm/left 2>&1; true')).result.output).not.toMatch(/^left$/m);
  });
});
