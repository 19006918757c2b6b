// SPDX-License-Identifier: Apache-2.0
// Resources, prompts and completions of an MCP server as tools of Writ, through the public API. The server is the one
// of the conformance suite, on loopback in place of the internet.
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
import { vi } from 'vitest';
import { everythingListener } from './conformance/everything-server.ts';
import { PIXEL } from './conformance/everything-tools.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const HOST = 'mcp.outside.example';
const REQUESTS = [
  'completion/complete',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
];
const idOf = (request: string): string => `mcp.everything.${request.replaceAll('/', '_')}`;
const CEDAR = `
@id("all") @reason("everything is permitted")
permit (principal, action, resource);
@id("watched") @reason("nobody reads what is watched") @would_pass("another resource")
forbid (principal, action == Action::"${idOf('resources/read')}", resource)
when { context.args.uri like "test://watched*" };
`;

let internet: FakeInternet;
let stack: Stack;
let world: World;
let token: string;
let listed: JsonValue[];
/** requests that the server reads and leaves without an answer */
let dropped: readonly string[] = [];
/** as they reached the server */
const reached: string[] = [];

beforeAll(async () => {
  const everything = everythingListener([HOST]);
  internet = await openFakeInternet((request, response) => {
    const method = String(request.headers['mcp-method']);
    reached.push(method);
    if (dropped.includes(method)) response.destroy();
    else everything(request, response);
  });
  stack = await startStack({ programs: { executor: [internet.program] }, env: { executor: internet.env } });
  world = await makeWorld(stack.url, stack.keys.platformKey);
  const settings = { transport: 'http', url: `https://${HOST}/mcp` };
  const { resource_id } = await world.admin.must('/v1/resources', { kind: 'mcp_server', name: 'everything', settings });
  const grant = { kind: 'mcp_server', resource_id, right: 'use', agent_id: world.agentId, clearance: 'autopilot' };
  expect((await world.admin.request('PUT', '/v1/resource-grants', grant)).status).toBeLessThan(300);
  listed = await vi.waitFor(
    async () => {
      const { body } = await world.admin.get('/v1/mcp-servers/everything/tools?limit=100');
      const items = (body.items as JsonValue[]).filter(({ remote_name }) => REQUESTS.includes(remote_name as string));
      expect(items).not.toEqual([]);
      return items;
    },
    { timeout: 60_000, interval: 500 },
  );
  const tools = listed.map(({ remote_name: name, seen }) => ({
    name,
    digest: seen.digest,
    // A server may count what it completes.
    category: name === 'completion/complete' ? 'write' : 'read',
  }));
  await world.admin.must('/v1/mcp-servers/everything/tools/accept', { tools });
  await world.admin.must('/v1/policies', { document: { v: 1, name: 'watched', cedar: CEDAR } });
  await world.admin.must('/v1/policies/activate', { policy: 'watched' });
  const about = {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant: {
      tools: ['mcp.everything.*'],
      fs: [],
      net: [{ domain: HOST, methods: ['POST'] }],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + 3_600_000,
    },
  };
  token = (await world.admin.must('/v1/capability-tokens', about)).capability_token_id as string;
});
afterAll(async () => {
  await stack?.stop();
  internet?.close();
});

const call = async (request: string, args: Record<string, unknown> = {}): Promise<JsonValue> =>
  (await world.call(idOf(request), args, { capability_token_id: token })).body;
/** The reply of the server. */
async function replyOf(request: string, args: Record<string, unknown> = {}): Promise<JsonValue> {
  const ended = await call(request, args);
  expect(ended).toMatchObject({ status: 'ok', result: { content: [], is_error: false, truncated: false } });
  return ended.result.structured as JsonValue;
}

it('each request of a server is listed as a tool that only reads, with a definition of Writ', () => {
  expect(listed.map(({ remote_name }) => remote_name as string).sort()).toEqual(REQUESTS);
  for (const { remote_name, tool_id, suggested, problems } of listed)
    expect([tool_id, suggested, problems]).toEqual([idOf(remote_name as string), 'read', []]);
});

it('resources and templates are listed by calls', async () => {
  const { resources } = await replyOf('resources/list');
  expect(resources).toContainEqual({ uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' });
  expect(await replyOf('resources/templates/list')).toEqual({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  });
});

it('a resource is read as a text or as bytes, and the read has a receipt', async () => {
  const uri = 'test://static-text';
  const ended = await call('resources/read', { uri });
  expect(ended).toMatchObject({
    status: 'ok',
    result: { structured: { contents: [{ uri, mimeType: 'text/plain', text: `The content of ${uri}.` }] } },
  });
  const { record } = await verifiedReceipt(stack, world, ended.operation_id as string, 'outcome');
  expect(record).toMatchObject({ tool_id: 'mcp.everything.resources_read' });
  const binary = { uri: 'test://static-binary', mimeType: 'image/png', blob: PIXEL };
  expect(await replyOf('resources/read', { uri: binary.uri })).toEqual({ contents: [binary] });
});

it('a rule about the address of a resource decides on reads of it', async () => {
  expect(await call('resources/read', { uri: 'test://watched-resource' })).toMatchObject({
    status: 'error',
    error: { code: 'policy.denied' },
  });
  const text = '{"id":"7","templateTest":true}';
  expect(await replyOf('resources/read', { uri: 'test://template/7/data' })).toMatchObject({ contents: [{ text }] });
});

it('a resource that the server does not have is a failure, in words of the server', async () => {
  const { status, error } = await call('resources/read', { uri: 'test://none' });
  expect([status, error.code]).toEqual(['error', 'mcp.failed']);
  expect(error.message).toContain('test://none');
});

it('arguments of another form are refused, and nothing leaves', async () => {
  for (const args of [{}, { uri: '' }, { uri: 'TEST://static-text' }, { uri: 'test://static-text', _meta: {} }])
    expect(await call('resources/read', args)).toMatchObject({ error: { code: 'args.invalid' } });
});

it('a prompt is got with its arguments, and one of them is completed', async () => {
  const { prompts } = await replyOf('prompts/list');
  expect(prompts).toContainEqual({
    name: 'test_prompt_with_arguments',
    description: expect.any(String) as unknown,
    arguments: [
      { name: 'arg1', required: true },
      { name: 'arg2', required: true },
    ],
  });
  const text = "Prompt with arguments: arg1='a', arg2='b'";
  expect(
    await replyOf('prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } }),
  ).toEqual({ messages: [{ role: 'user', content: { type: 'text', text } }] });
  const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
  expect(await replyOf('completion/complete', { ref, argument: { name: 'arg1', value: 'x' } })).toEqual({
    completion: { values: [], total: 0, hasMore: false },
  });
});

it('a request whose answer is lost is sent once, and ends in doubt only where it may change something', async () => {
  dropped = ['resources/read', 'completion/complete'];
  reached.length = 0;
  const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
  const completed = await call('completion/complete', { ref, argument: { name: 'arg1', value: 'x' } });
  expect(completed).toMatchObject({ tx_outcome: 'ambiguous', error: { code: 'effect.ambiguous' } });
  const { record } = await verifiedReceipt(stack, world, completed.operation_id as string, 'outcome');
  expect(record).toMatchObject({ tx_outcome: 'ambiguous' });
  const read = await call('resources/read', { uri: 'test://static-text' });
  expect(read).toMatchObject({ tx_outcome: 'no_op', error: { code: 'egress.failed' } });
  expect(reached.filter((method) => dropped.includes(method)).sort()).toEqual(dropped.toSorted());
  dropped = [];
});
