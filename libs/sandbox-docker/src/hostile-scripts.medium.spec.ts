// SPDX-License-Identifier: Apache-2.0
// Random scripts with hostile arguments in a real container, while a program replaces their paths by links that lead
// out.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import fc from 'fast-check';
import { isPublicAddress } from '@writ/egress';
import { compileScript, sandboxFrom, VERBS, type SandboxData } from '@writ/mk8-shell';
import type { DockerSandbox } from './docker-sandbox.ts';
import { openSandbox, runIn, textOf } from './engine.contract.ts';

const SCRIPTS = 80;
const DATA: SandboxData = {
  name: 'test',
  environment: { UP: '../outside', OUT: '/tmp/outside' },
  rules: {},
  enabled_templates: null,
  fragments: {},
  skills: [],
};
/**
 * The content of the files outside and the name of one of them, which no script knows; and the hash of that content.
 */
const SECRET = 'outside-7f3d1c';
const SECRET_HASH = createHash('sha256').update(`${SECRET}\n`).digest('hex');

const LONG = 'x'.repeat(300);
const PLACES = [
  'a.txt',
  'src',
  'way/seen',
  'way/made',
  'way',
  'way/deeper/made',
  'out/seen',
  'out',
  'etc/passwd',
  'up/tmp/outside/seen',
  'self/seen',
  'loop',
  'file-link',
  'file-link/x',
  '$WORKSPACE/way/seen',
  '$WORKSPACE/out/made',
  '$CWD/way/x',
  '$UP/seen',
  '$OUT/seen',
  '$WORKSPACE$UP/seen',
  '.git/config',
  'way/.git/config',
  'a\u0301.txt',
  '\uff0e\uff0e/outside',
  '\u2025/tmp',
  '\u2215tmp',
  'a\u202etxt',
  '\ud800',
  'a\0b',
  LONG,
  `${LONG}/x`,
  'a/'.repeat(60),
  '/tmp/outside/seen',
  '/proc/1/root/tmp/outside/seen',
  '/proc/self/fd/0',
  '../tmp/outside/seen',
  'a.zip',
  '',
  '.',
  '*',
  '**',
];
const VALUES = [
  '0',
  '1',
  '5',
  'x',
  'sha256',
  '$C0',
  '$PREV',
  '[1]',
  '{}',
  'http://127.0.0.1/',
  'http://[::1]/',
  'http://example.com/',
  'https://example.com/',
  'http://169.254.169.254/',
  'http://localtest.example.com/',
  'example.com',
  'localhost',
  '10.0.0.1',
  '80',
  '443',
  '22',
  'git',
  'cat',
  'wc',
  'ls',
  'status',
  '-l',
  '--',
  ';id',
  '(a*)*',
];

const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PLACES) },
  { weight: 1, arbitrary: fc.constantFrom(...VALUES) },
);
/** Verbs that only wait, or need missing things, try no way out. */
const verb = fc.constantFrom(
  ...[...VERBS.values()].filter(({ name, effect }) => effect !== 'none' && name !== 'Sleep').map(({ name }) => name),
);
const fitting = verb.chain((name) => {
  const { min, max, pairs } = VERBS.get(name)!;
  return fc.record({
    verb: fc.constant(name),
    args: fc.array(word, { minLength: min, maxLength: Math.min(max, pairs ? 2 : min + 1) }),
  });
});
/** Aims directly at a path out, with a verb that would show the content there or write something. */
const pointed = fc.record({
  verb: fc.constantFrom(
    'FileRead',
    'FileHead',
    'FileTail',
    'FileHash',
    'FileInfo',
    'DirList',
    'DirTree',
    'DirDelete',
    'FileDelete',
    'DirCreate',
  ),
  args: fc.tuple(
    fc.constantFrom(
      'way/seen',
      'out/seen',
      'up/tmp/outside/seen',
      'self/seen',
      'file-link',
      'etc/passwd',
      'out',
      'up/tmp/outside',
      'way',
      'out/deeper',
      '$WORKSPACE/out/seen',
    ),
  ),
});
const filled = fc.record({
  verb: fc.constantFrom('FileWrite', 'FileAppend', 'FileCopy', 'FileMove'),
  args: fc.tuple(
    fc.constantFrom('out/made', 'way/made', 'file-link', 'out/seen', 'up/tmp/made'),
    fc.constantFrom('out/other', 'way/other', 'a.txt'),
  ),
});

/** The output of a step may be the path of the next one, which is checked when it runs. */
const filledIn = fc.tuple(word, fitting).map(([said, next]) => [
  { verb: 'TextTrim', args: [said], captureAs: 'C0' },
  { ...next, args: next.args.map((arg, n) => (n === 0 ? '$C0' : arg)) },
]);
const steps = fc.oneof(
  fitting.map((one) => [one]),
  filledIn,
  fc.array(fc.oneof(pointed, filled), { minLength: 3, maxLength: 6 }),
);
const scripts = (seed: number) =>
  fc
    .sample(steps, { seed, numRuns: 6_000 })
    .map((operations) => ({
      operations,
      options: { failureMode: 'ContinueOnError', pipeStepOutput: true, stepTimeout: '00:00:10' },
    }));

/** Replaces a directory by a link that leads out, and back, as fast as it can. */
const SWAPPER = `
  const { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
  function begin() {
    for (const name of ['way', 'folder', 'link']) rmSync(name, { recursive: true, force: true });
    symlinkSync('/tmp/outside', 'link');
    mkdirSync('folder');
    writeFileSync('folder/seen', 'inside');
    renameSync('folder', 'way');
  }
  function swap() { renameSync('way', 'folder'); renameSync('link', 'way'); renameSync('way', 'link'); renameSync('folder', 'way'); }
  for (;;) try { swap(); } catch { try { begin(); } catch {} }`;

/** The swapper is disowned: bash would otherwise report at exit, sometimes, that it was killed. */
const COMMAND = `
mkdir -p /tmp/outside/deeper /tmp/seed && echo ${SECRET} | tee /tmp/outside/seen /tmp/outside/${SECRET} > /tmp/outside/deeper/seen
survey() { ls -A /tmp; find /tmp/outside | sort; find /tmp/outside -type f -exec sha256sum {} + | sort; }
lay() {
  mkdir -p /workspace/src /workspace/.git; echo one > /workspace/a.txt; ln -sfn /tmp/outside /workspace/out; ln -sfn / /workspace/up; ln -sfn /etc /workspace/etc
  ln -sfn /proc/self/cwd/../tmp/outside /workspace/self; ln -sfn loop /workspace/loop; ln -sfn /tmp/outside/seen /workspace/file-link; printf '[core]\\n\\tbare = false\\n' > /workspace/.git/config
}
cd /workspace; cat > /tmp/swap.cjs
before=$(survey)
/opt/writ/node /tmp/swap.cjs & swapper=$!; disown
while IFS= read -r order; do
  lay 2> /dev/null
  /opt/writ/node --snapshot-blob /opt/writ/mk8.blob /opt/writ/mk8.js <<< "$order"; echo
done < /workspace/orders
kill -KILL $swapper
[ "$before" = "$(survey)" ] && echo 'nothing outside has changed' || survey`;

let sandbox: DockerSandbox;
let image: string;
let gate: Server;
const requests: string[] = [];

beforeAll(async () => {
  ({ sandbox, image } = await openSandbox());
  gate = createServer((request, response) => {
    // A name that the script asks the gate for counts as a request to it.
    requests.push((request.url ?? '').replace(/^\/dns\/(.*)$/, 'http://$1/'));
    response.writeHead(403).end('writ: egress.refused: no token grants it\n');
  });
  gate.on('connect', (request, socket: Duplex) => {
    requests.push(`https://${request.url ?? ''}/`);
    socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nwrit: egress.refused: no token grants it\n');
  });
}, 240_000);
afterAll(() => sandbox.close(), 240_000);

test('no compiled script touches a path outside its workspace, or connects to anything but the gate', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const rules = sandboxFrom(DATA);
  const compiled = scripts(seed)
    .filter((script) => compileScript(script, rules).program !== null)
    .slice(0, SCRIPTS);
  const orders = compiled
    .map((script) => `${JSON.stringify({ script, sandbox: DATA, time_ms: 30_000, report_bytes: 30_000 })}\n`)
    .join('');
  const egress = {
    serve: (connection: Duplex) => {
      connection.on('error', () => undefined);
      gate.emit('connection', connection);
    },
  };
  const limits = { wallMs: 500_000, cpuMs: 500_000, memoryBytes: 512 * 1024 * 1024, outputBytes: 8 * 1024 * 1024 };
  const result = await runIn(sandbox, image, COMMAND, limits, {
    stdin: Buffer.from(SWAPPER),
    egress,
    files: [{ path: 'orders', kind: 'file', mode: '644', bytes: Buffer.from(orders) }],
  });
  const lines = textOf(result).trimEnd().split('\n');
  expect({ seed, last: lines.at(-1), reports: lines.length - 1 }).toEqual({
    seed,
    last: 'nothing outside has changed',
    reports: compiled.length,
  });
  expect(compiled).toHaveLength(SCRIPTS);
  const steps = lines
    .slice(0, -1)
    .flatMap(
      (line) => (JSON.parse(line) as { steps: { status: string; output: string; error: string | null }[] }).steps,
    );
  // Enough steps must have succeeded, or this test would prove nothing.
  expect(steps.filter(({ status }) => status === 'ok').length).toBeGreaterThan(10);
  const told = steps.filter(({ output, error }) =>
    [SECRET, SECRET_HASH, 'root:x:0'].some((secret) => `${output}${error ?? ''}`.includes(secret)),
  );
  expect({ seed, told }).toEqual({ seed, told: [] });
  const inner = requests
    .map((url) => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'))
    .filter((host) => host === 'localhost' || (/^[0-9.]+$|:/.test(host) && !isPublicAddress(host)));
  expect({ seed, inner }).toEqual({ seed, inner: [] });
}, 600_000);
