// SPDX-License-Identifier: Apache-2.0
// The client of TypeScript as its users install it, on each runtime, and the lines of the README as they stand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { makeWorld, sharedStack, type SharedStack, type World } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { PackedClient, RUNTIMES } from '../packed-client.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let client: PackedClient;
beforeAll(async () => {
  [stack, client] = await Promise.all([sharedStack(), PackedClient.install()]);
  client.write('writ-keys.json', readFileSync(stack.keys.publicKeysFile, 'utf8'));
});
afterAll(() => client?.remove());

const newWorld = (): Promise<World> =>
  makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': 'a repository\n', 'src/a.txt': 'one\n' } });
const keysOf = ({ agent, operator }: World): Record<string, string> => ({
  WRIT_URL: stack.url,
  WRIT_AGENT_KEY: agent.key ?? '',
  WRIT_OPERATOR_KEY: operator.key ?? '',
});

it('needs no other package, and imports nothing', () => {
  expect(client.packages()).toEqual(['@writ/client']);
  // That it imports nothing else shows on the platform of the edge, below.
  expect(/\bimport\(|\brequire\(/.exec(client.read('index.js'))).toBeNull();
  expect(/\bfrom ['"]|\bimport\(['"]|<reference/.exec(client.read('index.d.ts'))).toBeNull();
  expect(client.read('THIRD-PARTY.txt')).toContain('typebox');
});

it.each(['ai', 'anthropic', 'claude-agent', 'langchain', 'openai', 'openai-agents'])(
  'its adapter `%s` imports no framework, and types of the client alone',
  (name) => {
    expect(/\bfrom ?['"]|\bimport ?['"(]|\brequire\(/.exec(client.read(`${name}.js`))).toBeNull();
    const imported = [...client.read(`${name}.d.ts`).matchAll(/\bfrom '([^']*)'/g)].map(([, from]) => from);
    expect(new Set(imported)).toEqual(new Set(['./index.js']));
  },
);

it.each(['typescript', 'typescript-native'])(
  'its types compile with %s, without types of any platform, and check what a program does',
  async (typescript) => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      target: 'es2022',
      lib: ['es2022'],
      types: [],
      module: 'nodenext',
    };
    client.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const program = (path: string): string => `
      import { Writ, verifyReceipt, type Approval, type Call } from '@writ/client';
      export async function work(writ: Writ, ids: string[]): Promise<string> {
        const call: Call = await writ.call('fs.read', { path: ${path} }, { fields: { dry_run: true } });
        if (call.outcome === 'held') return call.approvalId;
        if (call.outcome === 'refused') return call.code;
        for await (const { name } of writ.agents.list({ limit: 5 })) ids.push(name);
        for await (const approval of writ.approvals.pending()) {
          const shown: Approval = approval;
          await writ.approvals.approve(shown);
        }
        const { record } = verifyReceipt((await call.receipt()).text, 'keys');
        return record.tx_outcome ?? (await writ.workspaces.get('wsp_1')).head_snapshot_id;
      }`;
    client.write('program.ts', program("'a'"));
    expect(await client.compile(typescript)).toBe('');
    client.write('program.ts', program("'a'").replace('call.approvalId', 'call.approval_id'));
    expect(await client.compile(typescript)).toContain('approval_id');
  },
);

it('an error that nobody catches shows its message, and no screen full of the package', async () => {
  client.write('fails.mjs', "import { Writ } from '@writ/client';\nnew Writ({ url: 'http://127.0.0.1:1' });\n");
  const node = { program: process.execPath, options: [] };
  const { stderr } = await client.run(node, ['fails.mjs']).then(
    () => expect.unreachable(),
    (error: { stderr: string }) => error,
  );
  expect(stderr).toContain('UsageError: `apiKey` is missing');
  expect(stderr.length).toBeLessThan(2_000);
});

const readme = readFileSync(join(repositoryRoot(), 'README.md'), 'utf8');
const [, lines = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];

it('the README has eleven lines', () => {
  expect(lines.trim().split('\n')).toHaveLength(11);
});

describe.each(RUNTIMES)('on %s', (name, runtime) => {
  (runtime === null ? it.skip : it)(
    `the lines of the README work as they stand${runtime === null ? ` (${name} is not on this machine)` : ''}`,
    async () => {
      const world = await newWorld();
      client.write('readme.mjs', lines);
      const output = await client.run(runtime!, ['readme.mjs'], keysOf(world));
      expect(output).toContain('a repository');
      expect(output.trim().split('\n').at(-1)).toBe('committed');
      expect(await world.file('src/a.txt')).toBeNull();
    },
  );
});

it('on a platform of the edge, with the globals of the web alone, a call is made and its receipt verified', async () => {
  const world = await newWorld();
  client.write('edge.mjs', EDGE);
  const node = { program: process.execPath, options: ['--experimental-vm-modules', '--no-warnings'] };
  const output = await client.run(node, ['edge.mjs'], keysOf(world));
  expect(JSON.parse(output)).toEqual({ outcome: 'ok', phase: 'outcome', globals: 'undefined undefined undefined' });
});

/** Loads the package into a context that has no global of Node.js. */
const EDGE = `
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
const names = ['fetch', 'URL', 'URLSearchParams', 'AbortController', 'AbortSignal', 'TextEncoder', 'TextDecoder', 'Headers',
  'Request', 'Response', 'ReadableStream', 'crypto', 'setTimeout', 'clearTimeout', 'atob', 'btoa'];
const context = vm.createContext(Object.fromEntries(names.map((name) => [name, globalThis[name]])));
context.given = { ...process.env, keys: readFileSync('writ-keys.json', 'utf8') };
const text = readFileSync('node_modules/@writ/client/index.js', 'utf8');
const library = new vm.SourceTextModule(text, { context });
const program = new vm.SourceTextModule(\`
  import { Writ } from '@writ/client';
  const writ = new Writ({ url: given.WRIT_URL, apiKey: given.WRIT_AGENT_KEY });
  const call = await writ.call('fs.read', { path: 'README.md' });
  const { record } = (await call.receipt()).verify(given.keys);
  globalThis.found = JSON.stringify({
    outcome: call.outcome, phase: record.phase, globals: [typeof process, typeof Buffer, typeof require].join(' '),
  });
\`, { context });
await program.link((name) => {
  if (name !== '@writ/client') throw new Error(name);
  return library;
});
await program.evaluate();
console.log(context.found);
`;
