// SPDX-License-Identifier: Apache-2.0
// What a new user types by mistake, through the built program and a whole Writ, and what they read: what was found,
// what is allowed, and what to type. A row for each sample of the kinds that people met. Exit statuses are those that
// docs/reference/cli.md documents.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeWorld, sharedStack, type SharedStack, type World } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { vi } from 'vitest';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const PROGRAM = join(repositoryRoot(), 'apps', 'cli', 'bin', 'writ.mjs');
let stack: SharedStack;
let world: World;
let folder: string;

interface Ran {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}
/** Runs the program as a person in that folder would. */
async function writ(args: readonly string[], stdin = ''): Promise<Ran> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, NO_COLOR: '1', WRIT_STATE_DIR: folder };
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env });
  child.stdin.end(stdin);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  return { exit: child.exitCode, out, err };
}

const FILES: Readonly<Record<string, string>> = {
  'tools.yaml': 'tools:\n  - name: deploy.web\n    descripton: x\n    category: write\n    cmd: x\n',
  'functions.yaml': 'functions:\n  - name: a.b\n    catgory: read\n',
  'policy.json': JSON.stringify({ v: 1, name: 'ours', cedr: '' }),
  'script.json': JSON.stringify({ operations: [{ vreb: 'FileList', args: [] }] }),
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-messages-'));
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', 'deep/c.txt': 'two\n' } });
  const keys = { api_key: world.admin.key, operator_key: world.operator.key, agent_key: world.agent.key };
  const ids = { agent_id: world.agentId, workspace_id: world.workspaceId, capability_token_id: world.tokenId };
  writeFileSync(join(folder, 'cli.json'), JSON.stringify({ url: stack.url, ...keys, ...ids }), { mode: 0o600 });
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content);
  const cedar = '@id("all") @reason("all is permitted") permit (principal, action, resource);';
  await world.admin.must('/v1/policies', { document: { v: 1, name: 'our-team', cedar } });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An id with another last character. */
const misspelt = (id: string): string => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;

const [FAILED, USAGE, HELD, REFUSED, NOT_FOUND] = [1, 2, 3, 4, 5] as const;
type Row = readonly [what: string, args: () => readonly string[], exit: number, says: () => readonly string[]];
const ROWS: readonly Row[] = [
  [
    'a set of rules that there is not',
    () => ['policy', 'activate', 'our-tean'],
    NOT_FOUND,
    () => ['error not_found: there is no policy `our-tean` here', 'did you mean `our-team`?'],
  ],
  [
    'a wrong agent id',
    () => ['agent', 'get', misspelt(world.agentId)],
    NOT_FOUND,
    () => [`there is no agent \`${misspelt(world.agentId)}\` here`, `did you mean \`${world.agentId}\`?`],
  ],
  ['an empty name of an agent', () => ['agent', 'create', ''], FAILED, () => ['`/name`', 'expected: ', 'letters']],
  [
    'a secret in small letters',
    () => ['secret', 'set', 'npm_token'],
    FAILED,
    () => ['`/name`', 'expected: capital letters, digits and `_`', '`NPM_TOKEN`'],
  ],
  [
    'a misspelt member of --args',
    () => ['call', 'shell.run', '--args', '{"comand":"ls"}'],
    FAILED,
    () => ['error args.invalid: `/comand` is not known here', 'did you mean `command`?'],
  ],
  [
    'an unknown member of --args',
    () => ['call', 'fs.read', '--args', '{"path":"a.txt","zzz":1}'],
    FAILED,
    () => ['`/zzz` is not known here', 'known here: `path`'],
  ],
  [
    'a misspelt key in tools.yaml',
    () => ['tool', 'apply', '-f', 'tools.yaml'],
    FAILED,
    () => ['tools.yaml:3:', 'is not known here', 'did you mean `description`?'],
  ],
  [
    'a misspelt key in a file of functions',
    () => ['tool', 'apply', '-f', 'functions.yaml'],
    FAILED,
    () => ['functions.yaml:3:', 'did you mean `category`?'],
  ],
  [
    'a misspelt key in a policy set',
    () => ['policy', 'validate', 'policy.json'],
    FAILED,
    () => ['policy.json#/cedr', 'did you mean `cedar`?'],
  ],
  [
    'a misspelt key in a script of mk8.shell',
    () => ['mk8', 'check', 'script.json'],
    FAILED,
    () => ['/operations/0/vreb: is not known here', '/operations/0: `verb` is missing'],
  ],
  [
    'a receipt without keys to verify it with',
    () => ['verify', 'receipt.json'],
    USAGE,
    () => ['`--keys FILE` or `--trust FILE`', '`.writ/public-keys.json`', '`writ key public --out keys.json`'],
  ],
  [
    'a token for a tool that there is not',
    () => ['token', 'issue', '--tool', 'fs.reed'],
    NOT_FOUND,
    () => ['`fs.reed` is for no tool that there is', 'did you mean `fs.read`?', '`--allow-unknown-tools`'],
  ],
  [
    'a misspelt tool',
    () => ['call', 'fs.reed', '--args', '{"path":"a.txt"}'],
    NOT_FOUND,
    () => ['there is no such tool', 'did you mean `fs.read`?'],
  ],
  ['a misspelt command', () => ['polcy', 'list'], USAGE, () => ["unknown command 'polcy'", 'Did you mean policy?']],
  ['a misspelt verb', () => ['policy', 'activte', 'x'], USAGE, () => ['Did you mean activate?']],
  ['a misspelt option', () => ['token', 'create', '--agnet', 'x'], USAGE, () => ['Did you mean --agent?']],
  ['a limit that is none', () => ['operation', 'list', '--limit', 'many'], USAGE, () => ['--limit', 'many']],
  ['a state that is none', () => ['run', 'get', 'run_x'], NOT_FOUND, () => ['not_found', '`run_x`']],
];

test.each(ROWS)(
  '%s: the message says what was found, what is allowed and what to type',
  async (_, args, exit, says) => {
    const ran = await writ(args(), 'value\n');
    // A check that finds problems prints its result too.
    const said = `${ran.err}${ran.out}`;
    expect({ exit: ran.exit, said }).toEqual({ exit, said: expect.any(String) });
    for (const part of says()) expect(said).toContain(part);
    expect(said).not.toMatch(/schema is false|there is no such thing|\^\[|\)\$|must match|\n\s+at /);
  },
);

test('a call that waits and a call that is refused have their own exit status', async () => {
  const held = ['call', 'shell.run', '--args', '{"command":"rm -rf deep"}'];
  expect((await writ(held)).exit).toBe(HELD);
  const told = await writ(['call', 'web.fetch', '--args', '{"url":"https://example.org/"}']);
  expect([told.exit, told.err]).toEqual([REFUSED, expect.stringContaining('error token.tool: ')]);
});

test('every format prints the same thing, and quiet prints nothing for people', async () => {
  const formats = await Promise.all(
    ['json', 'yaml', 'name', 'table'].map((each) => writ(['agent', 'list', '-o', each])),
  );
  const [json, yaml, name, table] = formats.map(({ out }) => out);
  expect((JSON.parse(json ?? '') as { items: { agent_id: string }[] }).items[0]?.agent_id).toBe(world.agentId);
  expect(yaml).toContain(`agent_id: ${world.agentId}`);
  expect(name).toContain(`agent/${world.agentId}\n`);
  expect(table).toContain(world.agentId);
  expect(await writ(['agent', 'list', '--quiet'])).toEqual({ exit: 0, out: '', err: '' });
});

test('the help of a verb is its own, the version is a version, and each shell gets a script', async () => {
  const help = await writ(['policy', 'simulate', '--help']);
  expect([help.exit, help.out]).toEqual([0, expect.stringContaining('Usage: writ policy simulate')]);
  const version = await writ(['--version']);
  expect(version).toEqual({ exit: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' });
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { exit, out } = await writ(['completion', shell]);
    expect([shell, exit, out]).toEqual([shell, 0, expect.stringContaining('__complete')]);
  }
  const offered = await writ(['__complete', 'bash', '--within', '10000', '--', 'token', 'create', '--agent', '']);
  expect(offered.out).toContain(world.agentId);
});

test('a reformatted receipt verifies with a note, and a changed one does not verify', async () => {
  const { body } = await world.call('fs.read', { path: 'a.txt' });
  const path = join(folder, 'receipt.json');
  expect((await writ(['receipt', String(body.operation_id), '--out', path])).exit).toBe(0);
  const verify = () => writ(['verify', path, '--keys', stack.keys.publicKeysFile]);
  expect((await verify()).out).not.toContain('reformatted');
  const receipt = JSON.parse(readFileSync(path, 'utf8')) as { inclusion: { leaf_index: number } };
  writeFileSync(path, JSON.stringify(receipt, null, 2));
  const reformatted = await verify();
  expect([reformatted.exit, reformatted.out]).toEqual([0, expect.stringContaining('reformatted')]);
  receipt.inclusion.leaf_index += 1;
  writeFileSync(path, JSON.stringify(receipt, null, 2));
  expect((await verify()).exit).toBe(FAILED);
});

test('problems of the API have a title of their kind and a detail of their occurrence', async () => {
  const asked = [
    await world.admin.get('/v1/agentz'),
    await world.admin.get('/v1/agents/banana'),
    await world.admin.get('/v1/agents?limit=many'),
    await world.admin.request('PUT', '/v1/secrets', { name: 'npm_token', value: 'x' }),
    await world.admin.post('/v1/agents', { name: '' }),
    await world.admin.post('/v1/policies/activate', { policy: 'our-tean' }),
  ];
  expect(asked.map(({ body }) => [body.code, body.title])).toEqual([
    ['route.unknown', 'Unknown route'],
    ['not_found', 'Not found'],
    ['query.invalid', 'Invalid query'],
    ['request.malformed', 'Malformed request'],
    ['request.malformed', 'Malformed request'],
    ['not_found', 'Not found'],
  ]);
  for (const { body } of asked) {
    expect(body.detail).not.toBe(body.title);
    expect(body.detail).not.toMatch(/\^|\)\$|schema is false/);
  }
  expect(asked[0]?.body.detail).toContain('`/openapi.json` lists all routes');
  expect(asked[2]?.body.detail).toContain('`limit`');
});
