// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { AgentMessage, EntryHead, HostMessage, JobOrder } from '@writ/sandbox';
import { Agent } from './agent.ts';
import { makePipes } from './pipes.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-workspace-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const ORDER: JobOrder = {
  command: 'true',
  cwd: '',
  timeout_ms: 10_000,
  env: {},
  stdin: false,
  output_bytes_max: 1000,
  delta_bytes_max: 1000,
  delta_files_max: 10,
};
const entry = (head: EntryHead, text = ''): HostMessage => ({ type: 'file', head, bytes: Buffer.from(text) });
const file = (path: string, text: string, mode: '644' | '755' = '644'): HostMessage =>
  entry({ kind: 'file', path, mode, size: text.length, sha256: createHash('sha256').update(text).digest('hex') }, text);

const stdoutOf = (received: AgentMessage[]): string[] =>
  received.flatMap((message) => (message.type === 'stdout' ? [message.bytes.toString()] : []));

/** Sends a job to an agent; resolves with all its messages up to the last one. */
async function runJob(
  messages: HostMessage[],
  order: Partial<JobOrder> = {},
  pipes = makePipes(root)[0],
  prepare: (agent: Agent) => Promise<void> = () => Promise.resolve(),
): Promise<AgentMessage[]> {
  return await new Promise((resolve, reject) => {
    const received: AgentMessage[] = [];
    // Kills only the command's process group: this test runs outside of a container.
    const endAll = ({ pid }: { pid?: number | undefined }) => {
      try {
        if (pid !== undefined) process.kill(-pid, 'SIGKILL');
      } catch {
        // The group is empty.
      }
    };
    const agent = new Agent({ root, scratch: tmpdir(), pipes, endAll }, (message) => {
      received.push(message);
      if (message.type === 'end' || message.type === 'fault' || (message.type === 'exit' && message.timedOut))
        resolve(received);
    });
    prepare(agent)
      .then(() => {
        for (const message of [...messages, { type: 'job' as const, job: { ...ORDER, ...order } }])
          agent.handle(message);
      })
      .catch(reject);
  });
}

test('the agent creates the files, links and directories that it receives', async () => {
  const received = await runJob([
    entry({ kind: 'symlink', path: 'links/l', target: '../nowhere' }),
    file('a/b/c', 'text'),
    file('run', '#!', '755'),
    entry({ kind: 'dir', path: 'empty' }),
  ]);
  expect(received.at(-1)).toEqual({ type: 'end', changes: 0 });
  expect(readFileSync(join(root, 'a/b/c'), 'utf8')).toBe('text');
  expect(statSync(join(root, 'run')).mode & 0o777).toBe(0o755);
  expect(readlinkSync(join(root, 'links/l'))).toBe('../nowhere');
  expect(statSync(join(root, 'empty')).isDirectory()).toBe(true);
});

test('a file may arrive in chunks, and the next entry only after its end', async () => {
  const head = {
    kind: 'file' as const,
    path: 'f',
    mode: '644' as const,
    size: 4,
    sha256: createHash('sha256').update('abcd').digest('hex'),
  };
  expect((await runJob([entry(head, 'ab'), { type: 'data', bytes: Buffer.from('cd') }])).at(-1)).toEqual({
    type: 'end',
    changes: 0,
  });
  expect(await runJob([entry({ ...head, path: 'g' }, 'ab')])).toEqual([
    { type: 'fault', reason: 'protocol', detail: 'a file is shorter than announced' },
  ]);
  expect(await runJob([{ type: 'data', bytes: Buffer.from('cd') }])).toEqual([
    { type: 'fault', reason: 'protocol', detail: 'content comes without a file' },
  ]);
});

test('a file is never written through a link, whatever the order', async () => {
  const received = await runJob([entry({ kind: 'symlink', path: 'l', target: tmpdir() }), file('l/x', 'text')]).catch(
    (error: unknown) => error,
  );
  // The adapter refuses such a workspace. The agent fails at the link that can't be made, and has written nothing
  // outside.
  expect(received).toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(join(root, 'l/x'), 'utf8')).toBe('text');
});

test('the changes of a command are sent with their contents', async () => {
  const received = await runJob([file('old', 'x'), file('gone', 'x'), file('kept', 'x')], {
    command: 'echo new > old; rm gone; mkdir d; ln -s old l; echo out; echo err >&2; exit 3',
  });
  expect(received.find(({ type }) => type === 'exit')).toEqual({
    type: 'exit',
    code: 3,
    signal: null,
    timedOut: false,
    droppedBytes: 0,
  });
  const changes = received
    .filter((message) => message.type === 'change')
    .map(({ path, after, bytes }) => [path, after, bytes.toString()] as const);
  expect(changes.sort(([a], [b]) => (a < b ? -1 : 1))).toEqual([
    ['d', { kind: 'dir' }, ''],
    ['gone', null, ''],
    ['l', { kind: 'symlink', target: 'old' }, ''],
    ['old', { kind: 'file', mode: '644', size: 4 }, 'new\n'],
  ]);
  expect(stdoutOf(received)).toEqual(['out\n']);
});

test("a write through a shared mapping is found, although the file's times may not change", async () => {
  const command = "python3 -c \"import mmap; f = open('m', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0]; m[0] = 66\"";
  const received = await runJob([file('m', 'AAAA')], { command });
  expect(
    received.filter((message) => message.type === 'change').map(({ path, bytes }) => [path, bytes.toString()]),
  ).toEqual([['m', 'BAAA']]);
});

test('a command that exceeds its time is killed, and its changes are not compared', async () => {
  const received = await runJob([], { command: 'echo x > made; sleep 1000', timeout_ms: 200 });
  expect(received).toEqual([{ type: 'exit', code: null, signal: 'SIGKILL', timedOut: true, droppedBytes: 0 }]);
});

test.each([
  ['pipes', true],
  ['sockets, where the image has no mkfifo', false],
])('streams reach the command and come back over %s', async (_, withPipes) => {
  const spoken: HostMessage[] = [
    { type: 'stdin', bytes: Buffer.from('spo') },
    { type: 'stdin', bytes: Buffer.from('ken') },
  ];
  const received = await runJob(
    spoken,
    { command: 'cat; echo err >&2', stdin: true },
    withPipes ? makePipes(root)[0] : null,
  );
  expect(stdoutOf(received).join('')).toBe('spoken');
  expect(received.map(({ type }) => type).sort()).toEqual(['end', 'exit', 'stderr', 'stdout']);
});

test('every standard stream can be opened by name, also late', async () => {
  const received = await runJob([{ type: 'stdin', bytes: Buffer.from('spoken') }], {
    command: 'sleep 0.1; cat /dev/stdin > /dev/stdout; echo err > /dev/stderr',
    stdin: true,
  });
  expect(received.map((message) => ('bytes' in message ? message.bytes.toString() : message.type))).toEqual([
    'spoken',
    'err\n',
    'exit',
    'end',
  ]);
});

test('without stdin a command reads an empty one', async () => {
  expect((await runJob([], { command: 'cat' })).map(({ type }) => type)).toEqual(['exit', 'end']);
});

test('a command that is too long for the operating system is reported and not run', async () => {
  const received = await runJob([], { command: `echo x > made; : ${'é'.repeat(64 * 1024)}` });
  expect(received.map((message) => (message.type === 'stderr' ? message.bytes.toString() : message.type))).toEqual([
    "the command can't be started (E2BIG)\n",
    'exit',
    'end',
  ]);
  expect(received[1]).toMatchObject({ code: 126 });
});

test('a missing working directory is reported, and nothing runs', async () => {
  const received = await runJob([], { cwd: 'none', command: 'echo x > made' });
  expect(received.map((message) => (message.type === 'stderr' ? message.bytes.toString() : message.type))).toEqual([
    'the working directory `none` is not there\n',
    'exit',
    'end',
  ]);
  expect(received[1]).toMatchObject({ code: 126 });
});

describe('a program', () => {
  const program = (argv: string[], more: Partial<JobOrder> = {}) =>
    runJob([file('a b', 'x')], { command: '', argv, ...more });
  const outOf = (received: AgentMessage[]): string =>
    received
      .map((message) => (message.type === 'stdout' || message.type === 'stderr' ? message.bytes.toString() : ''))
      .join('');

  test('gets each argument unchanged, without a shell', async () => {
    const nasty = ['$(id)', '; echo x > made', '`id`', '*', '$HOME', '| cat', '', 'two words', "it's", '\n', '-n'];
    const received = await program(['printf', '<%s>\n', ...nasty]);
    expect(outOf(received)).toBe(nasty.map((text) => `<${text}>\n`).join(''));
    expect(received.some(({ type }) => type === 'change')).toBe(false);
  });

  test('has the default variables, its declared ones, and no others', async () => {
    process.env['WRIT_MARKER_OF_A_PROCESS'] = 'marker';
    try {
      const received = await program(['env'], { env: { DEPLOY_TOKEN: 'x', LANG: 'C' } });
      expect(outOf(received).trim().split('\n').sort()).toEqual([
        'DEPLOY_TOKEN=x',
        'HOME=/tmp',
        'LANG=C',
        'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        'SHELL=/bin/bash',
        'TERM=dumb',
        'TMPDIR=/tmp',
        'USER=sandbox',
      ]);
    } finally {
      delete process.env['WRIT_MARKER_OF_A_PROCESS'];
    }
  });

  test("that doesn't exist is reported and exits with 126", async () => {
    const received = await program(['no-such-program']);
    expect(outOf(received)).toBe("the command can't be started (ENOENT)\n");
    expect(received.find(({ type }) => type === 'exit')).toMatchObject({ code: 126 });
  });
});

test('a container runs one job', async () => {
  const received = await runJob([{ type: 'job', job: { ...ORDER, command: 'sleep 0.1' } }]);
  expect(received).toEqual([{ type: 'fault', reason: 'protocol', detail: 'a container runs one job' }]);
});

describe('a proxy port that was opened before the job', () => {
  const ports = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  /** Resolves with the job's output, the ports that were opened for it, and those left open afterwards. */
  const prepared = async (order: Partial<JobOrder>) => {
    const before = ports();
    let opened = 0;
    const received = await runJob([], order, undefined, async (agent) => {
      await agent.prepare();
      opened = ports() - before;
    });
    // A port is closed at once, but counted until its handle has reported that.
    await setTimeout(50);
    return { out: stdoutOf(received).join(''), opened, left: ports() - before };
  };

  test('is used by the job', async () => {
    expect(
      await prepared({ proxy: true, command: 'exec 3<>"/dev/tcp/127.0.0.1/${http_proxy##*:}" && echo connected' }),
    ).toEqual({ out: 'connected\n', opened: 1, left: 0 });
  });

  test('is closed for a job without egress', async () => {
    expect(await prepared({ command: 'echo "<$http_proxy>"' })).toEqual({ out: '<>\n', opened: 1, left: 0 });
  });
});
