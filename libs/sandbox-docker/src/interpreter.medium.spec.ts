// SPDX-License-Identifier: Apache-2.0
// The interpreter of scripts in a real container: its host by the contract of hosts, and whole scripts as the agent
// runs them.
import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { join } from 'node:path';
import { build } from 'esbuild';
import { exampleOf, VERBS } from '@writ/mk8-shell';
import { zipOf } from '@writ/mk8-shell/testing';
import { repositoryRoot } from '@writ/testing';
import type { SandboxJob, SandboxResult } from '@writ/sandbox';
import type { DockerSandbox } from './docker-sandbox.ts';
import { openSandbox, runIn, textOf } from './engine.contract.ts';

const INTERPRETER = ['/opt/writ/node', '--snapshot-blob', '/opt/writ/mk8.blob', '/opt/writ/mk8.js'];

let sandbox: DockerSandbox;
let image: string;
let gate: Server;
const requests: string[] = [];

beforeAll(async () => {
  ({ sandbox, image } = await openSandbox());
  gate = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    if (request.url === 'http://example.com/') response.end('hello');
    else if (request.url === '/dns/example.com') response.end('93.184.216.34\n');
    else response.writeHead(403).end('writ: egress.refused: no token grants it\n');
  });
  gate.on('connect', (request, socket: Duplex) => {
    requests.push(`CONNECT ${request.url ?? ''}`);
    socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nwrit: egress.refused: no token grants it\n');
  });
}, 240_000);
afterAll(() => sandbox.close(), 240_000);

const egress = {
  serve: (connection: Duplex) => {
    connection.on('error', () => undefined);
    gate.emit('connection', connection);
  },
};

/** Bundles a file of the agent's sources and all of its imports. */
async function bundled(entry: string): Promise<Buffer> {
  const { outputFiles } = await build({
    absWorkingDir: join(repositoryRoot(), 'apps/sandbox-agent'),
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    conditions: ['@writ/source'],
    mainFields: ['module', 'main'],
    minify: true,
  });
  return Buffer.from(outputFiles[0]?.contents ?? []);
}

test('the host satisfies the contract of hosts', async () => {
  const result = await runIn(
    sandbox,
    image,
    '',
    { memoryBytes: 512 * 1024 * 1024, wallMs: 120_000, cpuMs: 120_000 },
    { argv: ['/opt/writ/node', '-'], stdin: await bundled('src/mk8/within-container.contract.ts'), egress },
  );
  const said = textOf(result);
  expect(said).toMatch(/^\{"ran"/);
  const { ran, failures } = JSON.parse(said) as { ran: string[]; failures: Record<string, string> };
  expect(failures).toEqual({});
  expect(ran).toEqual(
    expect.arrayContaining([
      'every process that a program started is killed with it, however it detached',
      'a zombie is not listed as running',
      'a process that forks and exits repeatedly is killed',
      'a process whose first thread has ended is killed',
    ]),
  );
}, 240_000);

interface Report {
  readonly status: string;
  readonly steps: readonly { readonly status: string; readonly output: string; readonly error: string | null }[];
  readonly problems?: unknown;
}

const textFile = (path: string, text: string) => ({
  path,
  kind: 'file' as const,
  mode: '644' as const,
  bytes: Buffer.from(text),
});

async function runScript(
  script: object,
  files: SandboxJob['files'] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ result: SandboxResult; report: Report }> {
  const order = {
    script,
    sandbox: { name: 'test', environment, rules: { urls: ['https://example.com/r.git'] }, fragments: {}, skills: [] },
    time_ms: 60_000,
    report_bytes: 190_000,
  };
  const result = await runIn(
    sandbox,
    image,
    '',
    { wallMs: 120_000, cpuMs: 120_000, memoryBytes: 512 * 1024 * 1024 },
    { argv: INTERPRETER, stdin: Buffer.from(JSON.stringify(order)), egress, files },
  );
  return { result, report: JSON.parse(textOf(result)) as Report };
}
const outcomes = ({ steps }: Report) =>
  steps.map(({ status, output, error }) => (status === 'ok' ? output : `${status}: ${error ?? ''}`));

test('a script runs, reports the output of its steps, and its files are the effect', async () => {
  const { result, report } = await runScript(
    {
      operations: [
        { verb: 'FileRead', args: ['a.txt'], captureAs: 'A' },
        { verb: 'FileWrite', args: ['out/b.txt', '$A!'] },
        { verb: 'SysWhoAmI' },
        { verb: 'FileDelete', args: ['a.txt'] },
      ],
    },
    [textFile('a.txt', 'one\n')],
  );
  expect([result.exitCode, report.status, outcomes(report)]).toEqual([
    0,
    'completed',
    ['one\n', 'wrote 4 bytes to out/b.txt', 'sandbox', 'deleted a.txt'],
  ]);
  expect(result.changes.map(({ path, after }) => [path, after?.kind ?? null])).toEqual([
    ['a.txt', null],
    ['out', 'dir'],
    ['out/b.txt', 'file'],
  ]);
}, 240_000);

test('a script that fails ends with another status than one that completes, and one that does not compile runs nothing', async () => {
  const failed = await runScript({
    operations: [
      { verb: 'FileWrite', args: ['x', '1'] },
      { verb: 'Fail', args: ['no'] },
    ],
  });
  expect([failed.result.exitCode, failed.report.status, outcomes(failed.report)]).toEqual([
    1,
    'failed',
    ['wrote 1 bytes to x', 'failed: no'],
  ]);
  const refused = await runScript({
    operations: [
      { verb: 'FileWrite', args: ['x', '1'] },
      { verb: 'FileRead', args: ['/etc/passwd'] },
    ],
  });
  expect([refused.result.exitCode, refused.report.status, refused.result.changes]).toEqual([1, 'refused', []]);
}, 240_000);

test('facts of the machine are those seen inside, and the clipboard is in the result', async () => {
  const verbs = [
    'SysHostname',
    'SysUptime',
    'SysOsInfo',
    'SysCpuCount',
    'SysTempDir',
    'SysMemory',
    'SysDiskUsage',
    'SysProcessList',
    'SysNetInfo',
    'SysLogSources',
    'SysServiceList',
  ];
  const { report } = await runScript({
    operations: [
      ...verbs.map((verb) => ({ verb })),
      { verb: 'ClipboardSet', args: ['x'] },
      { verb: 'SysLogRead', args: ['script', '1'] },
      { verb: 'SysServiceStatus', args: ['agent'] },
      { verb: 'SysServiceStatus', args: ['sshd'] },
    ],
  });
  expect(outcomes(report)).toEqual([
    expect.stringMatching(/^[0-9a-f]{12}$/),
    expect.stringMatching(/^(\d+m )?\d+s$/),
    expect.stringMatching(/^Debian .*Linux/),
    '1',
    '/tmp',
    expect.stringMatching(/^total 512\.00 MB/),
    expect.stringMatching(/^\/workspace {2}total 32\.00 MB/),
    expect.stringMatching(/^1\t/),
    expect.stringMatching(/^lo: 127\.0\.0\.1/),
    'script\nprocesses',
    expect.stringMatching(/^(?:.+: running \([0-9, ]+\)\n?)+$/),
    "put 1 characters into the result's `clipboard`",
    expect.stringMatching(/^\S+Z ClipboardSet \(\/operations\/11\) ok in \d+ ms$/),
    'running',
    'not found',
  ]);
  expect(report).toMatchObject({ clipboard: 'x' });
}, 240_000);

test('connections go to the gate only, and its answer is reported', async () => {
  requests.length = 0;
  const tolerant = { failureMode: 'ContinueOnError' };
  const { report } = await runScript({
    options: tolerant,
    operations: [
      { verb: 'HttpGet', args: ['http://example.com/'] },
      { verb: 'HttpPost', args: ['http://example.com/other', 'x'] },
      { verb: 'HttpGet', args: ['https://example.com/'] },
      { verb: 'NetTcpConnect', args: ['example.com', '22'] },
      { verb: 'NetTlsCert', args: ['example.com'] },
      { verb: 'HttpGet', args: ['http://169.254.169.254/'] },
    ],
  });
  expect(report.status === 'refused' ? report.problems : outcomes(report)).toEqual(
    report.status === 'refused'
      ? [expect.objectContaining({ pointer: '/operations/5/args/0' })]
      : 'a script that names an inner address is refused',
  );
  const { report: ran } = await runScript({
    options: tolerant,
    operations: [
      { verb: 'HttpGet', args: ['http://example.com/'] },
      { verb: 'HttpPost', args: ['http://example.com/other', 'x'] },
      { verb: 'HttpGet', args: ['https://example.com/'] },
      { verb: 'NetTcpConnect', args: ['example.com', '22'] },
      { verb: 'NetTlsCert', args: ['example.com'] },
      { verb: 'NetDns', args: ['example.com'] },
      { verb: 'NetPing', args: ['example.com', '1'] },
    ],
  });
  const no = 'failed: egress.refused: no token grants it';
  expect(outcomes(ran)).toEqual(['hello', no, no, no, no, '93.184.216.34', no]);
  expect(requests).toEqual([
    'GET http://example.com/',
    'POST http://example.com/other',
    'CONNECT example.com:443',
    'CONNECT example.com:22',
    'CONNECT example.com:443',
    'GET /dns/example.com',
    'CONNECT example.com:443',
  ]);
}, 240_000);

test('a script sees the state of its own run, and none of the snapshot that it started from', async () => {
  const script = {
    operations: [
      { verb: 'GuidNew' },
      { verb: 'RandomInt', args: ['0', '1000000'] },
      { verb: 'SysTimestamp' },
      { verb: 'SysProcessList' },
    ],
  };
  const [first, second] = [outcomes((await runScript(script)).report), outcomes((await runScript(script)).report)];
  expect(first[0]).not.toBe(second[0]);
  expect(first[1]).not.toBe(second[1]);
  expect(Math.abs(Number(first[2]) - Date.now() / 1000)).toBeLessThan(3_600);
  expect(first[3]).toMatch(/^1\t/);
}, 240_000);

/** Runs all orders in one container, one after the other, each with an interpreter and the original workspace. */
const ONE_BY_ONE = [
  'git init -q -b feature/x && cp -a /workspace /tmp/seed',
  `while IFS= read -r order; do ${INTERPRETER.join(' ')} <<< "$order"; echo; find /workspace -mindepth 1 -delete; cp -a /tmp/seed/. /workspace; done`,
].join('\n');

test('the example of each verb runs, as the reference shows it', async () => {
  const verbs = [...VERBS.values()];
  const data = {
    name: 'test',
    environment: { GREETING: 'hi' },
    rules: {},
    fragments: { greet: [{ verb: 'Echo', args: ['hello'] }] },
    skills: [],
  };
  const orders = verbs.map((verb) =>
    JSON.stringify({ script: exampleOf(verb), sandbox: data, time_ms: 60_000, report_bytes: 190_000 }),
  );
  const files = [
    textFile('a.txt', 'one\nthree\n'),
    { ...textFile('a.zip', ''), bytes: zipOf([['inner/x.txt', 'x']]) },
    { path: 'src', kind: 'dir' as const, mode: null },
    textFile('src/readme.md', '# Readme\n'),
  ];
  const result = await runIn(
    sandbox,
    image,
    ONE_BY_ONE,
    {
      wallMs: 550_000,
      cpuMs: 400_000,
      memoryBytes: 512 * 1024 * 1024,
      outputBytes: 4 * 1024 * 1024,
      deltaBytes: 8 * 1024 * 1024,
    },
    { stdin: Buffer.from(`${orders.join('\n')}\n`), egress, files },
  );
  const reports = textOf(result)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Report);
  expect(reports).toHaveLength(verbs.length);
  const ends = verbs.flatMap(({ name }, n) =>
    reports[n]?.status === 'completed'
      ? []
      : [[name, reports[n]?.steps === undefined ? JSON.stringify(reports[n]) : outcomes(reports[n] as Report).at(-1)]],
  );
  // A connecting verb reaches the gate, which refuses every request here.
  const refused = 'failed: egress.refused: no token grants it';
  expect(Object.fromEntries(ends)).toEqual({
    Fail: 'failed: on purpose',
    ...Object.fromEntries(
      [
        'HttpGet',
        'HttpPost',
        'HttpPut',
        'HttpDelete',
        'NetPing',
        'NetTlsCert',
        'NetHttpStatus',
        'NetTcpConnect',
        'HttpLatency',
      ].map((name) => [name, refused]),
    ),
  });
}, 600_000);

test('git runs, in a repository of the workspace', async () => {
  const git = (...args: string[]) => ({ verb: 'ProcRun', args: ['git', ...args] });
  const { report } = await runScript(
    {
      operations: [
        git('init'),
        git('status', '--short'),
        git('add', 'a.txt'),
        git('commit', '-m', 'the first'),
        git('log', '--oneline'),
        git('branch'),
      ],
    },
    [textFile('a.txt', 'a\n')],
  );
  expect(outcomes(report)).toEqual([
    expect.stringContaining('Initialized empty Git repository'),
    '?? a.txt\n',
    '',
    expect.stringContaining('the first'),
    expect.stringMatching(/^[0-9a-f]{7} the first\n$/),
    '* feature/init\n',
  ]);
}, 240_000);
