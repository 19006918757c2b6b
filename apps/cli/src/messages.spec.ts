// SPDX-License-Identifier: Apache-2.0
// What a new user types by mistake, and what they read: what was found, what is allowed, and what to type. Each row is
// a sample of a kind. Texts of the server are samples of what it answers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argumentFaults, TOOLS } from '@writ/contract';
import { fakeApi, problem, writ, type FakeApi, type FakeResponse } from './specs/run-cli.ts';
import { IDS, TOKEN } from './specs/samples.ts';

const NOTHING = problem(404, 'not_found', 'there is no such thing here');
/** The server's answer to arguments that don't fit, with the text that it makes. */
const misfit = (body: string): FakeResponse => {
  const { tool_id, args } = JSON.parse(body) as { tool_id: string; args: unknown };
  const [fault] = argumentFaults(TOOLS.get(tool_id)!, args);
  return problem(422, 'args.invalid', `\`${fault?.pointer}\` ${fault?.message}`);
};
const LISTS: Readonly<Record<string, readonly object[]>> = {
  '/v1/agents': [{ agent_id: IDS.agent, name: 'reviewer' }],
  '/v1/policies': [{ name: 'our-team', version: 1 }],
  '/v1/tools': [...TOOLS.keys(), 'deploy.web'].map((tool_id) => ({ tool_id, description: tool_id })),
  '/v1/capability-tokens': [TOKEN],
};

let api: FakeApi;
let dir: string;
beforeAll(async () => {
  api = await fakeApi(({ method, url, body }) => {
    const path = url.split('?')[0] ?? '';
    if (path === '/v1/tool-calls')
      return TOOLS.has((JSON.parse(body) as { tool_id: string }).tool_id)
        ? misfit(body)
        : problem(404, 'tool.unknown', 'there is no such tool');
    if (path === '/v1/capability-tokens' && method === 'POST') return { body: TOKEN };
    if (path === `/v1/capability-tokens/${IDS.token}`) return { body: TOKEN };
    return LISTS[path] === undefined ? NOTHING : { body: { items: LISTS[path], next_cursor: null } };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-messages-'));
  writeFileSync(
    join(dir, 'tools.yaml'),
    'tools:\n  - name: deploy.web\n    descripton: x\n    category: write\n    cmd: x\n',
  );
  writeFileSync(join(dir, 'tool.yaml'), 'tool:\n  - name: deploy.web\n');
  writeFileSync(join(dir, 'functions.yaml'), 'functions:\n  - name: a.b\n    catgory: read\n');
});
afterEach(() => rmSync(dir, { recursive: true }));

const CALL = ['--workspace', IDS.workspace, '--token', IDS.token];
const misspelt = (id: string): string => `${id.slice(0, -1)}x`;

test.each<[string, string[], string]>([
  ['a misspelt command', ['polcy', 'list'], 'Did you mean policy?'],
  ['a misspelt verb', ['policy', 'activte', 'x'], 'Did you mean activate?'],
  ['a misspelt option', ['token', 'create', '--agnet', 'x'], 'Did you mean --agent?'],
  [
    'a set that there is not',
    ['policy', 'activate', 'our-tean'],
    'error not_found: there is no policy `our-tean` here, or this key may not see it; did you mean `our-team`?',
  ],
  [
    'a set to look at that there is not',
    ['policy', 'get', 'ourteam'],
    'there is no policy `ourteam` here, or this key may not see it; did you mean `our-team`?',
  ],
  ['a wrong agent id', ['agent', 'get', misspelt(IDS.agent)], `; did you mean \`${IDS.agent}\`?`],
  [
    'the name of an agent for its id',
    ['agent', 'get', 'Reviewer'],
    `there is no agent \`Reviewer\` here, or this key may not see it; the agent of that name has the id \`${IDS.agent}\``,
  ],
  ['nothing near', ['agent', 'get', 'zzz'], '; `writ agent list` shows what there is'],
  ['a misspelt token', ['token', 'get', misspelt(IDS.token)], `; did you mean \`${IDS.token}\`?`],
  [
    'a misspelt tool',
    ['call', 'fs.reed', ...CALL],
    'there is no tool `fs.reed` here, or this key may not see it; did you mean `fs.read`?',
  ],
  [
    'a misspelt member of the arguments',
    ['call', 'shell.run', '--args', '{"comand":"ls"}', ...CALL],
    '`/comand` is not known here; did you mean `command`?',
  ],
  [
    'an unknown member of the arguments',
    ['call', 'fs.read', '--args', '{"path":"a","zzz":1}', ...CALL],
    '`/zzz` is not known here; known here: `path`',
  ],
  [
    'a misspelt key of tools.yaml',
    ['tool', 'apply', '-f', 'tools.yaml'],
    'tools.yaml:3:17: is not known here; did you mean `description`?',
  ],
  ['a misspelt key of the whole file', ['tool', 'apply', '-f', 'tool.yaml'], 'did you mean `tools`?'],
  ['a misspelt key of a function', ['tool', 'apply', '-f', 'functions.yaml'], 'did you mean `category`?'],
  [
    'no keys to verify with',
    ['verify', 'receipt.json'],
    '`--keys FILE` or `--trust FILE`. `npm start` writes `.writ/public-keys.json`; `writ key public --out keys.json`',
  ],
  ['a misspelt template', ['policy', 'template', 'get', 'protect_path'], 'did you mean `protect_paths`?'],
  [
    'a token for a tool that there is not',
    ['token', 'create', '--agent', IDS.agent, '--tool', 'fs.reed'],
    'error tool.unknown: `fs.reed` is for no tool that there is; did you mean `fs.read`?; nothing was made. `writ tool list` shows the tools, and `--allow-unknown-tools`',
  ],
  [
    'a child of a token for a family that there is not',
    ['token', 'attenuate', IDS.token, '--tool', 'deplo.*'],
    '`deplo.*` is for no tool that there is; did you mean `deploy.*`?; nothing was made',
  ],
])('%s', async (_, args, said) => {
  const { exit, out, err } = await writ(args, { env: api.env, cwd: dir });
  expect(err).toContain(said);
  expect({ out, isError: exit !== 0 }).toEqual({ out: '', isError: true });
  expect(err).not.toMatch(/schema is false|there is no such thing|\^\[/);
});

test.each<[string, string[], string | null]>([
  ['fs.read', [], null],
  ['fs.*', [], null],
  ['*', [], null],
  ['deploy.web', ['GET /v1/tools'], null],
  ['deploy.*', ['GET /v1/tools'], null],
  ['fs.reed', ['GET /v1/tools'], 'warning: `fs.reed` is for no tool that there is; did you mean `fs.read`?'],
  ['deplo.*', ['GET /v1/tools'], 'warning: `deplo.*` is for no tool that there is; did you mean `deploy.*`?'],
])('a token for `%s` is made on demand, with a warning where no tool is of that name', async (tool, asked, warning) => {
  api.requests.length = 0;
  const args = ['token', 'create', '--agent', IDS.agent, '--tool', tool, '--allow-unknown-tools'];
  const { exit, err } = await writ(args, { env: api.env });
  expect(exit).toBe(0);
  expect(api.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([...asked, 'POST /v1/capability-tokens']);
  if (warning === null) expect(err).toBe('');
  else expect(err).toContain(warning);
});

test('a token is made by a key that may not list the tools, and the caller reads that nothing was checked', async () => {
  const server = await fakeApi(({ method }) =>
    method === 'POST' ? { body: TOKEN } : problem(403, 'auth.insufficient_scope', 'the key has no scope `tools:read`'),
  );
  const { exit, err } = await writ(['token', 'create', '--agent', IDS.agent, '--tool', 'a.b'], { env: server.env });
  await server.close();
  expect([exit, err]).toEqual([0, 'warning: this key may not list the tools, so their names were not checked\n']);
});

test('what the server suggests itself is not suggested twice', async () => {
  const server = await fakeApi(() => problem(404, 'not_found', 'there is no agent `x` here; did you mean `y`?'));
  const { err } = await writ(['agent', 'get', 'x'], { env: server.env });
  const asked = server.requests.length;
  await server.close();
  expect(err.match(/did you mean/g)).toHaveLength(1);
  expect(asked).toBe(1);
});
