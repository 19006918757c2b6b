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

const stdoutOf = (said: AgentMessage[]): string[] =>
  said.flatMap((message) => (message.type === 'stdout' ? [message.bytes.toString()] : []));

/** Tells an agent a job; resolves with all that it says, up to its last word. */
async function tell(
  messages: HostMessage[],
  order: Partial<JobOrder> = {},
  pipes = makePipes(root)[0],
  prepare: (agent: Agent) => Promise<void> = () => Promise.resolve(),
): Promise<AgentMessage[]> {
  return await new Promise((resolve, reject) => {
    const said: AgentMessage[] = [];
    // Kills the command's own group only: these are no processes of a container.
    const endAll = ({ pid }: { pid?: number | undefined }) => {
      try {
        if (pid !== undefined) process.kill(-pid, 'SIGKILL');
      } catch {
        // The group is empty.
      }
    };
    const agent = new Agent({ root, scratch: tmpdir(), pipes, endAll }, (message) => {
      said.push(message);
      if (message.type === 'end' || message.type === 'fault' || (message.type === 'exit' && message.timedOut))
        resolve(said);
    });
    prepare(agent)
      .then(() => {
        for (const message of [...messages, { type: 'job' as const, job: { ...ORDER, ...order } }]) agent.take(message);
      })
      .catch(reject);
  });
}

test('a workspace is laid out as it was told', async () => {
  const said = await tell([
    entry({ kind: 'symlink', path: 'links/l', target: '../nowhere' }),
    file('a/b/c', 'text'),
    file('run', '#!', '755'),
    entry({ kind: 'dir', path: 'empty' }),
  ]);
  expect(said.at(-1)).toEqual({ type: 'end', changes: 0 });
  expect(readFileSync(join(root, 'a/b/c'), 'utf8')).toBe('text');
  expect(statSync(join(root, 'run')).mode & 0o777).toBe(0o755);
  expect(readlinkSync(join(root, 'links/l'))).toBe('../nowhere');
  expect(statSync(join(root, 'empty')).isDirectory()).toBe(true);
});

test('a file comes in chunks, and the next entry only after its end', async () => {
  const head = {
    kind: 'file' as const,
    path: 'f',
    mode: '644' as const,
    size: 4,
    sha256: createHash('sha256').update('abcd').digest('hex'),
  };
  expect((await tell([entry(head, 'ab'), { type: 'data', bytes: Buffer.from('cd') }])).at(-1)).toEqual({
    type: 'end',
    changes: 0,
  });
  expect(await tell([entry({ ...head, path: 'g' }, 'ab')])).toEqual([
    { type: 'fault', reason: 'protocol', detail: 'a file is shorter than announced' },
  ]);
  expect(await tell([{ type: 'data', bytes: Buffer.from('cd') }])).toEqual([
    { type: 'fault', reason: 'protocol', detail: 'content comes without a file' },
  ]);
});

test('a file is never written through a link, whatever the order', async () => {
  const said = await tell([entry({ kind: 'symlink', path: 'l', target: tmpdir() }), file('l/x', 'text')]).catch(
    (error: unknown) => error,
  );
  // The adapter refuses such a workspace; the agent fails at the link that can't be made and has written nothing
  // outside.
  expect(said).toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(join(root, 'l/x'), 'utf8')).toBe('text');
});

test('what a command changed is told with its content', async () => {
  const said = await tell([file('old', 'x'), file('gone', 'x'), file('kept', 'x')], {
    command: 'echo new > old; rm gone; mkdir d; ln -s old l; echo out; echo err >&2; exit 3',
  });
  expect(said.find(({ type }) => type === 'exit')).toEqual({
    type: 'exit',
    code: 3,
    signal: null,
    timedOut: false,
    droppedBytes: 0,
  });
  const changes = said
    .filter((message) => message.type === 'change')
    .map(({ path, after, bytes }) => [path, after, bytes.toString()] as const);
  expect(changes.sort(([a], [b]) => (a < b ? -1 : 1))).toEqual([
    ['d', { kind: 'dir' }, ''],
    ['gone', null, ''],
    ['l', { kind: 'symlink', target: 'old' }, ''],
    ['old', { kind: 'file', mode: '644', size: 4 }, 'new\n'],
  ]);
  expect(stdoutOf(said)).toEqual(['out\n']);
});

test("a write through a shared mapping is found, though the file's times may not tell", async () => {
  const command = "python3 -c \"import mmap; f = open('m', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0]; m[0] = 66\"";
  const said = await tell([file('m', 'AAAA')], { command });
  expect(
    said.filter((message) => message.type === 'change').map(({ path, bytes }) => [path, bytes.toString()]),
  ).toEqual([['m', 'BAAA']]);
});

test('a command that runs too long is killed, and nothing is compared', async () => {
  const said = await tell([], { command: 'echo x > made; sleep 1000', timeout_ms: 200 });
  expect(said).toEqual([{ type: 'exit', code: null, signal: 'SIGKILL', timedOut: true, droppedBytes: 0 }]);
});

test.each([
  ['pipes', true],
  ['sockets, where the image has no mkfifo', false],
])('streams reach the command and come back over %s', async (_, withPipes) => {
  const spoken: HostMessage[] = [
    { type: 'stdin', bytes: Buffer.from('spo') },
    { type: 'stdin', bytes: Buffer.from('ken') },
  ];
  const said = await tell(spoken, { command: 'cat; echo err >&2', stdin: true }, withPipes ? makePipes(root)[0] : null);
  expect(stdoutOf(said).join('')).toBe('spoken');
  expect(said.map(({ type }) => type).sort()).toEqual(['end', 'exit', 'stderr', 'stdout']);
});

test('every stream can be opened by its name, also late', async () => {
  const said = await tell([{ type: 'stdin', bytes: Buffer.from('spoken') }], {
    command: 'sleep 0.1; cat /dev/stdin > /dev/stdout; echo err > /dev/stderr',
    stdin: true,
  });
  expect(said.map((message) => ('bytes' in message ? message.bytes.toString() : message.type))).toEqual([
    'spoken',
    'err\n',
    'exit',
    'end',
  ]);
});

test('without stdin a command reads an empty one', async () => {
  expect((await tell([], { command: 'cat' })).map(({ type }) => type)).toEqual(['exit', 'end']);
});

test('a command that is longer than the kernel takes is said, and nothing runs', async () => {
  const said = await tell([], { command: `echo x > made; : ${'é'.repeat(64 * 1024)}` });
  expect(said.map((message) => (message.type === 'stderr' ? message.bytes.toString() : message.type))).toEqual([
    "the command can't be started (E2BIG)\n",
    'exit',
    'end',
  ]);
  expect(said[1]).toMatchObject({ code: 126 });
});

test('a working directory that is not there is said, and nothing runs', async () => {
  const said = await tell([], { cwd: 'none', command: 'echo x > made' });
  expect(said.map((message) => (message.type === 'stderr' ? message.bytes.toString() : message.type))).toEqual([
    'the working directory `none` is not there\n',
    'exit',
    'end',
  ]);
  expect(said[1]).toMatchObject({ code: 126 });
});

describe('a program', () => {
  const program = (argv: string[], more: Partial<JobOrder> = {}) =>
    tell([file('a b', 'x')], { command: '', argv, ...more });
  const outOf = (said: AgentMessage[]): string =>
    said
      .map((message) => (message.type === 'stdout' || message.type === 'stderr' ? message.bytes.toString() : ''))
      .join('');

  test('gets each argument as it stands: no shell reads them', async () => {
    const nasty = ['$(id)', '; echo x > made', '`id`', '*', '$HOME', '| cat', '', 'two words', "it's", '\n', '-n'];
    const said = await program(['printf', '<%s>\n', ...nasty]);
    expect(outOf(said)).toBe(nasty.map((text) => `<${text}>\n`).join(''));
    expect(said.some(({ type }) => type === 'change')).toBe(false);
  });

  test('has the variables that are safe to have, those declared for it, and no others', async () => {
    process.env['WRIT_MARKER_OF_A_PROCESS'] = 'marker';
    try {
      const said = await program(['env'], { env: { DEPLOY_TOKEN: 'x', LANG: 'C' } });
      expect(outOf(said).trim().split('\n').sort()).toEqual([
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

  test('that is not there is said, and counts as one that failed', async () => {
    const said = await program(['no-such-program']);
    expect(outOf(said)).toBe("the command can't be started (ENOENT)\n");
    expect(said.find(({ type }) => type === 'exit')).toMatchObject({ code: 126 });
  });
});

test('a container runs one job', async () => {
  const said = await tell([{ type: 'job', job: { ...ORDER, command: 'sleep 0.1' } }]);
  expect(said).toEqual([{ type: 'fault', reason: 'protocol', detail: 'a container runs one job' }]);
});

describe('a port that was opened before there was a job', () => {
  const ports = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  /** Resolves with what the job said, and how many ports were open as it ran beside those before. */
  const prepared = async (order: Partial<JobOrder>) => {
    const before = ports();
    let opened = 0;
    const said = await tell([], order, undefined, async (agent) => {
      await agent.prepare();
      opened = ports() - before;
    });
    // A port is closed at once, and counted until its handle has said so.
    await setTimeout(50);
    return { out: stdoutOf(said).join(''), opened, left: ports() - before };
  };

  test("is the job's way out", async () => {
    expect(
      await prepared({ proxy: true, command: 'exec 3<>"/dev/tcp/127.0.0.1/${http_proxy##*:}" && echo connected' }),
    ).toEqual({ out: 'connected\n', opened: 1, left: 0 });
  });

  test('is closed where the job has none', async () => {
    expect(await prepared({ command: 'echo "<$http_proxy>"' })).toEqual({ out: '<>\n', opened: 1, left: 0 });
  });
});
