// SPDX-License-Identifier: Apache-2.0
// Tools of an MCP server that is a program, through the public API: it is registered, listed in a container, accepted
// and called by two tokens and by two persons, each of which has a process of its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { makeWorld, startStack, type Api, verifiedReceipt, type JsonValue, type Stack, type World } from '@writ/stack';
import { repositoryRoot, testAddress } from '@writ/testing';
import { vi } from 'vitest';
import { GuideFolder } from './guide.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const SECRET = 'marker-51fe-of-a-program';
const WAIT = { timeout: 90_000, interval: 500 };

/**
 * A server of the revision 2025-11-25, which counts its calls and, in the background, time. It tells its process and
 * dies on request.
 */
const SCRIPT = `
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const schema = { type: 'object', properties: { how: { type: 'string' } }, required: ['how'] };
let [calls, ticks] = [0, 0];
setInterval(() => (ticks += 1), 10);
console.log('this server greets first');
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize')
    return say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} },
      serverInfo: { name: 'counter', version: '1' } } });
  if (method === 'tools/list') return say({ id, result: { tools: [{ name: 'count', inputSchema: schema }] } });
  if (method !== 'tools/call') return say({ id, error: { code: -32601, message: 'Method not found' } });
  const { how } = params.arguments;
  calls += 1;
  if (how === 'die') {
    console.error('the counter broke, ' + process.env.TOKEN);
    process.exit(3);
  }
  const out = how === 'out' ? await fetch('http://mcp.outside.example/').then((r) => r.status, () => 'closed') : '';
  const text = [process.getuid(), process.cwd(), require('node:fs').readdirSync('.').length, out, process.env.TOKEN, ticks];
  say({ id, result: { content: [{ type: 'text', text: text.join(' ') }], structuredContent: { calls } } });
});
`;

let stack: Stack;
let world: World;
let tokens: readonly string[];
let resourceId: string;
let docker: Docker;

beforeAll(async () => {
  process.env['DOCKER_HOST'] = testAddress('DOCKER_HOST');
  docker = new Docker();
  stack = await startStack();
  world = await makeWorld(stack.url, stack.keys.platformKey);
  const secret = { name: 'COUNTER', value: SECRET };
  expect((await world.admin.request('PUT', '/v1/secrets', secret)).status).toBe(200);
  const settings = {
    transport: 'stdio',
    command: ['node', '-e', SCRIPT],
    env: { TOKEN: { secret: 'COUNTER' } },
    memory_mb: 256,
  };
  const registered = await world.admin.must('/v1/resources', { kind: 'mcp_server', name: 'counter', settings });
  resourceId = registered.resource_id as string;
  const of = { kind: 'mcp_server', resource_id: resourceId };
  const grant = { ...of, right: 'use', agent_id: world.agentId, clearance: 'autopilot' };
  expect((await world.admin.request('PUT', '/v1/resource-grants', grant)).status).toBeLessThan(300);
  const about = {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant: {
      tools: ['mcp.counter.*'],
      fs: [],
      net: [{ domain: 'mcp.outside.example', methods: ['GET'] }],
      secrets: [],
      budgets: { cpu_ms: 3_600_000 },
      not_before: 0,
      expires_at: Date.now() + 3_600_000,
    },
  };
  const issue = async (): Promise<string> =>
    (await world.admin.must('/v1/capability-tokens', about)).capability_token_id as string;
  tokens = [await issue(), await issue()];
});
afterAll(() => stack?.stop());

const call = async (how: string, token = 0, by = world.agent): Promise<JsonValue> =>
  (
    await by.post('/v1/tool-calls?wait=30000', {
      tool_id: 'mcp.counter.count',
      args: { how },
      capability_token_id: tokens[token]!,
      workspace_id: world.workspaceId,
      idempotency_key: crypto.randomUUID(),
    })
  ).body;
/** Containers of the program. */
const running = async (): Promise<number> =>
  (await docker.listContainers({ filters: { label: [`writ.resource=${resourceId}`] } })).length;
const ticksOf = ({ result }: JsonValue): number => {
  const [{ text = '' } = {}] = result.content as readonly { readonly text?: string }[];
  return Number(text.split(' ').at(-1));
};
/** A key by which a person makes the agent's calls. */
async function keyOf(principal: string): Promise<{ readonly id: string; readonly api: Api }> {
  const about = { name: principal.replace('@', ' '), role: 'agent', agent_id: world.agentId, principal };
  const { api_key, api_key_id } = await world.admin.must('/v1/api-keys', about);
  return { id: api_key_id as string, api: world.admin.as(api_key as string) };
}

it('a program is listed in a container, and shown as what it is', async () => {
  const tool = await vi.waitFor(async () => {
    const { body } = await world.admin.get('/v1/mcp-servers/counter/tools');
    const { body: server } = await world.admin.get('/v1/mcp-servers/counter');
    expect({ tools: body.items, problem: server.problem }).toMatchObject({
      tools: [{ remote_name: 'count', state: 'new' }],
      problem: null,
    });
    expect(server).toMatchObject({ transport: 'stdio', url: null, command: ['node', '-e', SCRIPT] });
    return (body.items as JsonValue[])[0]!;
  }, WAIT);
  const accepted = { tools: [{ name: 'count', digest: tool.seen.digest as string }] };
  expect((await world.admin.request('POST', '/v1/mcp-servers/counter/tools/accept', accepted)).status).toBe(200);
});

it('a call runs without root, workspace and way out, and nothing shows its secret', async () => {
  const ended = await call('out');
  expect(ended).toMatchObject({ status: 'ok', tx_outcome: 'committed', result: { structured: { calls: 1 } } });
  const [{ text }] = ended.result.content as [{ text: string }];
  expect(text).toMatch(/^10001 \/workspace 0 (?:closed|403) /);
  expect(JSON.stringify(ended)).not.toContain(SECRET);
  const { record } = await verifiedReceipt(stack, world, ended.operation_id as string, 'outcome');
  expect(record).toMatchObject({ tool_id: 'mcp.counter.count', tx_outcome: 'committed' });
});

it('a process is kept for the next call of its token, and never serves another', async () => {
  expect((await call('again')).result.structured).toEqual({ calls: 2 });
  expect((await call('again', 1)).result.structured).toEqual({ calls: 1 });
  expect((await call('again')).result.structured).toEqual({ calls: 3 });
});

it('a program that dies during a call leaves doubt, says why, and is started anew', async () => {
  const ended = await call('die');
  expect(ended).toMatchObject({ status: 'error', tx_outcome: 'ambiguous', error: { code: 'effect.ambiguous' } });
  expect(JSON.stringify(ended)).not.toContain(SECRET);
  expect((await call('again')).result.structured).toEqual({ calls: 1 });
});

it('nothing of a program runs between calls, and each call is charged for its own', async () => {
  const before = ticksOf(await call('again'));
  // A program that runs on counts to some 400 meanwhile.
  await sleep(4_000);
  const ended = await call('again');
  expect(ticksOf(ended) - before).toBeLessThan(200);
  const { record } = await verifiedReceipt(stack, world, ended.operation_id as string, 'outcome');
  expect(record).toMatchObject({ usage_counted_by: 'host' });
  const { cpu_ms = 0 } = record.budget_delta ?? {};
  expect([cpu_ms > 0, cpu_ms < 4_000]).toEqual([true, true]);
});

it('two persons with one token have a process each, whose memories are apart', async () => {
  const [ann, ben] = [await keyOf('ann@example.org'), await keyOf('ben@example.org')];
  const counted = async ({ api }: { readonly api: Api }): Promise<unknown> =>
    (await call('again', 1, api)).result.structured;
  expect(await counted(ann)).toEqual({ calls: 1 });
  expect(await counted(ben)).toEqual({ calls: 1 });
  expect(await counted(ann)).toEqual({ calls: 2 });
});

it('a waiting process ends within seconds once its key or its token is revoked, and others wait on', async () => {
  const { id, api } = await keyOf('ann@example.org');
  // Another key of the same person has her process.
  expect((await call('again', 1, api)).result.structured).toEqual({ calls: 3 });
  const waiting = await running();
  expect((await world.admin.request('DELETE', `/v1/api-keys/${id}`)).status).toBe(200);
  await vi.waitFor(async () => expect(await running()).toBe(waiting - 1), { timeout: 15_000, interval: 250 });
  expect(waiting).toBeGreaterThan(1);
  await world.admin.must(`/v1/capability-tokens/${tokens[0]!}/revoke`, {});
  await world.admin.must(`/v1/capability-tokens/${tokens[1]!}/revoke`, {});
  await vi.waitFor(async () => expect(await running()).toBe(0), { timeout: 15_000, interval: 250 });
});

it('every command of docs/how-to/mcp-programs.md works as the guide describes', async () => {
  // The digest that a reader copies from the screen, another tenant looks up before.
  const script = readFileSync(join(repositoryRoot(), 'examples/mcp/words.mjs'), 'utf8');
  const settings = { transport: 'stdio', command: ['node', '--input-type=module', '-e', script], memory_mb: 256 };
  await world.admin.must('/v1/resources', { kind: 'mcp_server', name: 'words', settings });
  const COUNT_WORDS = await vi.waitFor(async () => {
    const { body } = await world.admin.get('/v1/mcp-servers/words/tools');
    expect(body.items).toMatchObject([{ remote_name: 'count_words', state: 'new' }]);
    return (body.items as JsonValue[])[0]!.seen.digest as string;
  }, WAIT);
  const folder = await GuideFolder.open(stack);
  try {
    const said = await folder.run('how-to/mcp-programs.md', { COUNT_WORDS });
    expect(said).toContain('words is listed: 0 accepted, 1 to decide, 0 gone');
    expect(said).toMatch(/"words": 3[^]*removed mcp_server:words/);
  } finally {
    folder.remove();
  }
});
