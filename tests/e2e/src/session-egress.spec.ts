// SPDX-License-Identifier: Apache-2.0
// What the shell of a session reaches over the network, through the public API and from real containers: npm and curl
// as a person uses them in a terminal, each call under its own gate. Servers on loopback stand for the internet.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { vi } from 'vitest';
import {
  makeWorld,
  openFakeInternet,
  startStack,
  verifiedReceipt,
  type FakeInternet,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { outsideTls } from '@writ/testing';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const REGISTRY = 'registry.outside.example';
const NET = [
  { domain: REGISTRY, methods: ['CONNECT'] },
  { domain: 'a.outside.example', methods: ['GET', 'POST', 'CONNECT'] },
];
const SECRET = 'marker-5b1d-of-a-secret';

let fakeInternet: FakeInternet;
let seen: { method: string; url: string; body: string; authorization?: string }[] = [];
let stack: Stack;
let world: World;
let token: string;
let published: Buffer;

/** A package as the registry has it: one file that says hello. */
async function makePackage(): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'package/package.json' }, JSON.stringify({ name: 'greeter', version: '1.0.0' }));
  archive.entry({ name: 'package/index.js' }, "module.exports = 'hello from a package';\n");
  archive.finalize();
  return gzipSync(await buffer(archive));
}

/** The registry's document of the package, in the form that npm asks for. */
const packument = (): string =>
  JSON.stringify({
    name: 'greeter',
    'dist-tags': { latest: '1.0.0' },
    versions: {
      '1.0.0': {
        name: 'greeter',
        version: '1.0.0',
        dist: {
          tarball: `https://${REGISTRY}/greeter/-/greeter-1.0.0.tgz`,
          integrity: `sha512-${createHash('sha512').update(published).digest('base64')}`,
        },
      },
    },
  });

beforeAll(async () => {
  published = await makePackage();
  fakeInternet = await openFakeInternet((request, response) => {
    const url = request.url ?? '';
    void text(request).then((body) => {
      const { authorization } = request.headers;
      seen.push({ method: request.method ?? '', url, body, ...(authorization === undefined ? {} : { authorization }) });
      if (url === '/greeter') response.setHeader('content-type', 'application/json').end(packument());
      else if (url.endsWith('.tgz')) response.end(published);
      else response.end('hello from outside\n');
    });
  });
  stack = await startStack({ programs: { executor: [fakeInternet.program] }, env: { executor: fakeInternet.env } });
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: {
      'ca.pem': readFileSync(outsideTls().caPath, 'utf8'),
      'package.json': JSON.stringify({
        name: 'shop',
        version: '1.0.0',
        dependencies: { greeter: '^1.0.0' },
        scripts: { build: 'node -e "console.log(require(\'greeter\'))"' },
      }),
      '.npmrc': `registry=https://${REGISTRY}/\ncafile=ca.pem\naudit=false\n`,
    },
  });
  expect((await world.admin.request('PUT', '/v1/secrets', { name: 'KEY', value: SECRET })).status).toBe(200);
  token = await tokenFor(NET);
});
afterAll(async () => {
  await stack?.stop();
  fakeInternet?.close();
});
beforeEach(() => {
  seen = [];
});

async function tokenFor(net: JsonValue, budgets: JsonValue = {}, more: JsonValue = {}): Promise<string> {
  const made = await world.admin.must('/v1/capability-tokens', {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant: {
      tools: ['shell.session', 'container.*'],
      fs: [{ path: '', read: true, write: true }],
      net,
      secrets: ['KEY'],
      budgets,
      not_before: 0,
      expires_at: Date.now() + 3_600_000,
      ...more,
    },
  });
  return made.capability_token_id as string;
}
const asks =
  (session_id: string, under = token) =>
  async (args: Record<string, unknown>): Promise<JsonValue> =>
    (await world.call('shell.session', args, { session_id, capability_token_id: under }, 55_000)).body;
const requestsOf = async ({ operation_id }: JsonValue): Promise<JsonValue[]> =>
  (await world.agent.get(`/v1/operations/${operation_id as string}/requests`)).body.items as JsonValue[];
const recordOf = async ({ operation_id }: JsonValue) =>
  (await verifiedReceipt(stack, world, operation_id as string, 'outcome')).record;
const outputOf = ({ result }: JsonValue): string => (result as JsonValue).output as string;

it('installs a package with npm and builds with it, and the record has each tunnel of the call', async () => {
  const ask = asks('npm');
  const installed = await ask({ command: 'npm install\nnpm run build', yield_ms: 50_000 });
  expect(installed).toMatchObject({ status: 'ok', tx_outcome: 'committed', result: { exit_code: 0, running: false } });
  expect(outputOf(installed)).toContain('hello from a package');
  expect(await world.file('node_modules/greeter/index.js')).toContain('hello from a package');
  expect(seen.map(({ url }) => url)).toEqual(['/greeter', '/greeter/-/greeter-1.0.0.tgz']);
  const requests = await requestsOf(installed);
  expect(requests.length).toBeGreaterThan(0);
  expect(new Set(requests.map(({ method, target, outcome }) => `${method} ${target} ${outcome}`))).toEqual(
    new Set([`CONNECT ${REGISTRY}:443 answered`]),
  );
  expect(await recordOf(installed)).toMatchObject({
    tool_id: 'shell.session',
    egress_count: requests.length,
    egress_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  await ask({ close: true });
});

it('runs the command of the ToolsXML document: a request over https with a variable in a header', async () => {
  const output = `<tools><command>
    curl -sS --cacert ca.pem -X POST \\
      -H "Authorization: Bearer $KARYI{KEY}" \\
      -d '{"event_type": "deploy"}' \\
      https://a.outside.example/repos/user/repo/dispatches
  </command></tools>`;
  const { status, body } = await world.agent.post('/v1/turns?wait=50000', {
    ...{ turn_id: 'dispatch', dialect: 'tools-xml', output, session_id: 'document' },
    ...{ capability_token_id: token, workspace_id: world.workspaceId },
  });
  expect({ status, body }).toMatchObject({ status: 200, body: { state: 'ended' } });
  expect(JSON.stringify(body.messages)).toContain('hello from outside');
  expect(seen).toEqual([
    {
      method: 'POST',
      url: '/repos/user/repo/dispatches',
      body: '{"event_type": "deploy"}',
      authorization: `Bearer ${SECRET}`,
    },
  ]);
  expect(await requestsOf(body.calls[0] as JsonValue)).toMatchObject([
    { method: 'CONNECT', target: 'a.outside.example:443', outcome: 'answered' },
  ]);
  expect(JSON.stringify(body)).not.toContain(SECRET);
  await asks('document')({ close: true });
});

it('fetches and sends with curl, each call with its own list, and a call that sends nothing has none', async () => {
  const ask = asks('curl');
  const fetched = await ask({ command: 'curl -sS http://a.outside.example/one' });
  expect(fetched).toMatchObject({ tx_outcome: 'no_op', result: { output: 'hello from outside\n' } });
  const sent = await ask({
    command: 'curl -sS -d a=1 http://a.outside.example/two; curl -sS --cacert ca.pem https://a.outside.example/three',
  });
  expect(sent).toMatchObject({ status: 'ok', tx_outcome: 'committed', new_snapshot_id: null });
  const quiet = await ask({ command: 'echo quiet' });
  const lists = [];
  for (const call of [fetched, sent, quiet]) lists.push((await requestsOf(call)).map(({ target }) => target));
  expect(lists).toEqual([
    ['http://a.outside.example/one'],
    ['http://a.outside.example/two', 'a.outside.example:443'],
    [],
  ]);
  expect(await recordOf(quiet)).toMatchObject({ egress_count: 0, egress_hash: null });
  expect(seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
    'GET /one ',
    'POST /two a=1',
    'GET /three ',
  ]);
  await ask({ close: true });
});

it('is refused what its token does not grant before any connection, and records it', async () => {
  const ask = asks('refused');
  const refused = await ask({
    command: 'curl -sS http://elsewhere.example/; curl -sS https://elsewhere.example/; curl -sS http://inward.example/',
  });
  expect(outputOf(refused)).toContain(
    'writ: token.scope: the capability token does not let `GET` of `http://elsewhere.example/` out',
  );
  const requests = await requestsOf(refused);
  expect(requests).toHaveLength(3);
  for (const request of requests)
    expect(request).toMatchObject({ outcome: 'refused', address: null, sent_bytes: 0, received_bytes: 0 });
  expect(await recordOf(refused)).toMatchObject({ egress_count: 3, tx_outcome: 'no_op' });
  const other = await asks('other', world.tokenId)({ command: 'curl -sS http://a.outside.example/' });
  expect(outputOf(other)).toContain('writ: token.scope');
  expect(seen).toEqual([]);
  await ask({ close: true });
});

it("stops at the token's egress bytes, which its calls use up together", async () => {
  const ask = asks('budget', await tokenFor(NET, { egress_bytes: 1_000 }));
  const bodies = [];
  for (let n = 0; n < 8; n++) bodies.push(await ask({ command: 'curl -sS http://a.outside.example/n' }));
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.length).toBeLessThan(8);
  const requests = (await Promise.all(bodies.map(requestsOf))).flat();
  expect(requests).toHaveLength(8);
  // The request at the edge is cut off, and those after it are refused or cut off at their first bytes.
  expect(requests.at(-1)).toMatchObject({ reason: expect.stringContaining('egress_bytes') as string });
  const bytes = requests.map(({ sent_bytes, received_bytes }) => (sent_bytes as number) + (received_bytes as number));
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1_000);
  await ask({ close: true });
});

it('reaches the network in the shell of a container too, as its token says', async () => {
  const right = { kind: 'container', resource_id: null, right: 'create', clearance: 'autopilot' };
  const granted = await world.admin.request('PUT', '/v1/resource-grants', { ...right, agent_id: world.agentId });
  expect(granted.status).toBe(200);
  const capability_token_id = await tokenFor(NET, {}, { resources: ['container:*'] });
  const ask = asks('container', capability_token_id);
  const made = await world.call('container.create', { name: 'build' }, { capability_token_id });
  expect(made.body).toMatchObject({ status: 'ok' });
  const fetched = await ask({
    container: 'build',
    command: 'curl -sS http://a.outside.example/c; curl -sS http://inward.example/',
  });
  expect(outputOf(fetched)).toContain('hello from outside\nwrit: token.scope');
  expect(await requestsOf(fetched)).toMatchObject([{ outcome: 'answered' }, { outcome: 'refused' }]);
  await ask({ container: 'build', close: true });
});

it('types a secret for a program that asks, which no output, list or record shows', async () => {
  const ask = asks('typed');
  const command =
    'read -r K; printf %s "${K:0:9}"; read -r go; printf "%s\\n" "${K:9}"; curl -sS "http://a.outside.example/$K"';
  const answers = [await ask({ command, yield_ms: 500 })];
  expect(answers[0]).toMatchObject({ result: { running: true, output: '' } });
  // The terminal echoes what was typed, and the program prints it in two parts.
  for (const input of ['${secret:KEY}\n', '\n']) answers.push(await ask({ input, yield_ms: 1_500 }));
  while (answers.at(-1)?.result.running === true) answers.push(await ask({}));
  const shown = answers.map(outputOf).join('');
  expect(shown).toMatch(/^\*\*\*KEY\*\*\*\n[^]*\*\*\*KEY\*\*\*[^]*hello from outside\n$/);
  expect(seen.map(({ url }) => url)).toEqual([`/${SECRET}`]);
  expect(await requestsOf(answers.at(-1))).toMatchObject([{ target: 'http://a.outside.example/***KEY***' }]);
  for (const answer of answers) {
    const operation = await world.admin.get(`/v1/operations/${answer.operation_id as string}`);
    const all = JSON.stringify([answer, operation.body, await requestsOf(answer), await recordOf(answer)]);
    expect(all).not.toContain(SECRET.slice(0, 9));
  }
  await ask({ close: true });
});
