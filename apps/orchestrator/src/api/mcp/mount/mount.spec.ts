// SPDX-License-Identifier: Apache-2.0
// One MCP server as if the client spoke to it itself: the official client in both revisions, over a fake kernel.
import type { Client } from '@modelcontextprotocol/client';
import { Fault, type McpRemoteTool, type McpTool, type OperationView, type ProposedCall } from '@writ/contract';
import { acceptedTool, remoteDigest } from '@writ/mcp-tool';
import { newId } from '@writ/nest-kit';
import { resourceOf, viewOf } from '../../../specs/fake-views.ts';
import { ERAS, mcpClient } from '../../../specs/mcp-client.ts';
import { messageOf, postModern } from '../../../specs/mcp-request.ts';
import { createFixture, GRANT, type Fixture } from '../../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../../specs/test-api.ts';

const TRACKER = { name: 'tracker', digest: 'd'.repeat(64) };
const CREATE: McpRemoteTool = {
  name: 'create.issue',
  title: 'Create an issue',
  description: 'Creates an issue.',
  inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: {} },
  outputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  annotations: { destructiveHint: false, openWorldHint: true },
};
const LOOK: McpRemoteTool = { name: 'look', inputSchema: { type: 'object' } };
const SECRET: McpRemoteTool = {
  name: 'secret',
  inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
};
const LOCAL: Readonly<Record<string, string>> = { 'create.issue': 'create_issue', look: 'look', secret: 'secret' };
const idOf = ({ name }: McpRemoteTool): string => `mcp.tracker.${LOCAL[name]!}`;

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
let token: string;
let open: Client[] = [];
const LISTED = [CREATE, LOOK, SECRET];

beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
  const { kernel } = api;
  const resource_id = newId('resource');
  const settings = { transport: 'http', url: 'https://mcp.example.org/mcp' };
  kernel.keep(
    tenant.tenantId,
    resource_id,
    'resource',
    resourceOf(resource_id, { kind: 'mcp_server', name: 'tracker', settings }),
  );
  for (const tool of LISTED) {
    const accepted = { ...acceptedTool(TRACKER, LOCAL[tool.name]!, tool, 'write'), version: 1 } satisfies McpTool;
    const view = { tool: accepted, definition_digest: '7'.repeat(64), applied_by: 'spec', applied_at: 1 };
    kernel.keep(tenant.tenantId, idOf(tool), 'tool', view);
  }
  const all = kernel.handlers.get('resource.list')!;
  kernel.handlers.set('resource.list', (caller, request) => {
    const { name } = request as { name: string | null };
    return name === 'nowhere' ? { items: [], next_cursor: null } : all(caller, request);
  });
  token = newId('token');
  const grant = { ...GRANT, tools: ['mcp.tracker.look', 'mcp.tracker.create_issue', 'fs.*'] };
  const kept = kernel.find({ tenant_id: tenant.tenantId } as never, has.capability_token_id) as object;
  kernel.keep(tenant.tenantId, token, 'token', { ...kept, capability_token_id: token, chain: [token], grant });
});
afterAll(() => api.close());
beforeEach(() => {
  const { kernel } = api;
  kernel.requests.length = 0;
  kernel.handlers.set('mcp_server.find_tool', (_caller, { name, remote_name }) => {
    const found = name === 'tracker' ? LISTED.find((tool) => tool.name === remote_name) : undefined;
    return { tool: found === undefined ? null : { tool_id: idOf(found), digest: remoteDigest(found) } };
  });
  // One definition a reply.
  kernel.handlers.set('mcp_server.definitions', (_caller, request) => {
    const [first, ...rest] = request['tool_ids'] as string[];
    const definition = LISTED.find((tool) => idOf(tool) === first);
    if (definition === undefined) return { items: [], rest };
    return { items: [{ tool_id: first, digest: remoteDigest(definition), definition }], rest };
  });
});
afterEach(async () => {
  await Promise.all(open.map((client) => client.close()));
  open = [];
});

const pathOf = (query = '&server=tracker'): string =>
  `${api.url}/mcp/${token}?workspace_id=${has.workspace_id}${query}`;
const connect = async (options: Parameters<typeof mcpClient>[2] = {}, query?: string): Promise<Client> => {
  const client = await mcpClient(pathOf(query), tenant.agent, options);
  open.push(client);
  return client;
};
const proposed = (): ProposedCall[] =>
  api.kernel.requests.filter(({ verb }) => verb === 'admit').map(({ request }) => request as unknown as ProposedCall);
const PARTS = [
  { type: 'text', text: 'created' },
  { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  { type: 'resource', resource: { uri: 'test://a', mimeType: 'text/plain', text: 'a' } },
  { type: 'resource_link', uri: 'test://b', name: 'b' },
];
const answering =
  (result: object, over: Partial<OperationView> = {}) =>
  (call: ProposedCall): OperationView => {
    const view = viewOf(call, 'committed');
    return { ...view, result: { ...view.result!, status: 'ok', error: null, result, result_ref: null }, ...over };
  };
const ANSWER = { content: PARTS, structured: { number: 1 }, is_error: false, truncated: false };
const ended = (result: object, over?: Partial<OperationView>) => {
  api.kernel.admits = answering(result, over);
};

describe.each(ERAS)('a mount, with the revision %s', (era) => {
  it('lists the granted tools exactly as the server does, and those about operations, and nothing else', async () => {
    const client = await connect({ era });
    const { tools } = await client.listTools();
    const about = ['operations_wait', 'operations_cancel'];
    expect(tools.map(({ name }) => name)).toEqual(['create.issue', 'look', ...about]);
    expect(tools.slice(0, 2)).toEqual([CREATE, LOOK]);
    expect(client.getServerCapabilities()).not.toHaveProperty('prompts');
    expect(client.getServerCapabilities()).not.toHaveProperty('resources');
    await expect(client.listPrompts()).resolves.toMatchObject({ prompts: [] });
  });

  it('answers a call with what the server answered, and says beside it which operation it was', async () => {
    ended(ANSWER);
    const client = await connect({ era });
    await client.listTools();
    const result = await client.callTool({ name: 'create.issue', arguments: { a: 1 } });
    const [call] = proposed();
    expect(call).toMatchObject({ tool_id: 'mcp.tracker.create_issue', args: { a: 1 }, provenance: { source: 'mcp' } });
    const { operation_id } = call!;
    const about = { operation_id, state: 'committed', error: null, receipt: `writ://receipts/${operation_id}` };
    expect(result).toMatchObject({
      content: PARTS,
      structuredContent: { number: 1 },
      _meta: { 'writ.dev/operation-id': operation_id, 'writ.dev/operation': about },
    });
    expect(result.isError).toBeUndefined();
  });

  it('passes on that the tool failed, in the words of the server', async () => {
    const content = [{ type: 'text', text: 'no such repository' }];
    ended({ content, structured: null, is_error: true, truncated: false });
    const client = await connect({ era });
    expect(await client.callTool({ name: 'look', arguments: {} })).toMatchObject({ content, isError: true });
  });

  it('answers a refusal and a fault as errors of the tool, and not in the structure that the tool promises', async () => {
    const client = await connect({ era });
    await client.listTools();
    api.kernel.admits = (call) => {
      const view = viewOf(call, 'refused');
      const error = { code: 'policy.denied', message: 'the policy forbids the call', hint: 'ask' };
      return { ...view, result: { ...view.result!, status: 'error', error, result: null } };
    };
    const refused = await client.callTool({ name: 'create.issue', arguments: {} });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('policy.denied: the policy forbids the call (ask)') }],
      _meta: { 'writ.dev/operation': { state: 'refused', error: { code: 'policy.denied' } } },
    });
    expect(refused.structuredContent).toBeUndefined();
    api.kernel.admits = () => {
      throw new Fault('record.backlog');
    };
    const failed = await client.callTool({ name: 'create.issue', arguments: {} });
    expect(failed).toMatchObject({
      isError: true,
      _meta: { 'writ.dev/operation': { error: { code: 'record.backlog' } } },
    });
  });

  it('proposes what is not granted, and what is not there, so that the kernel refuses and records it', async () => {
    const client = await connect({ era });
    for (const name of ['secret', 'create_issue', 'mcp.tracker.look', 'fs.read', 'tools_search'])
      await client.callTool({ name, arguments: {} });
    const ids = proposed().map(({ tool_id }) => tool_id);
    expect(ids[0]).toBe('mcp.tracker.secret');
    // No tool can have a name as long as these.
    expect(ids.slice(1).every((id) => /^mcp\.tracker\.[A-Za-z0-9_-]{1,24}_[0-9a-f]{64}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(5);
  });

  it('of a server that is not there has no list, and proposes a call as of an unknown tool', async () => {
    const client = await connect({ era }, '&server=nowhere');
    await expect(client.listTools()).rejects.toThrow(/no MCP server `nowhere`.*\?server=/);
    await client.callTool({ name: 'look', arguments: {} });
    expect(proposed()[0]!.tool_id).toMatch(/^mcp\.nowhere\.look_[0-9a-f]{64}$/);
  });

  it.each([
    ['that was left out', { ...ANSWER, structured: null, truncated: true }, {}, 'too long'],
    [
      'that the policy redacts',
      { content: '[redacted]', structured: { number: '[redacted]' }, is_error: false, truncated: false },
      { redactions: [{ rule: 'r', pointers: ['/structured/number'] }] },
      '{"number":"[redacted]"}',
    ],
  ])('answers a structured result %s as an error where the tool promises its form', async (_w, result, over, text) => {
    ended(result, over);
    const client = await connect({ era });
    await client.listTools();
    const promised = await client.callTool({ name: 'create.issue', arguments: {} });
    expect(promised).toMatchObject({ isError: true });
    expect((promised.content as object[])[0]).toEqual({ type: 'text', text: expect.stringContaining(text) });
    expect(promised.structuredContent).toBeUndefined();
    const free = await client.callTool({ name: 'look', arguments: {} });
    expect(free.isError).toBeUndefined();
  });
});

describe('a mount', () => {
  it('is named by a header as well, and has no search', async () => {
    const client = await connect({ headers: { 'writ-server': 'tracker' } }, '');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('create.issue');
    const post = async (query: string, headers = {}) =>
      (await postModern(pathOf(query), tenant.agent, { method: 'tools/list' }, headers)).status;
    expect(await post('&server=tracker&tools=search')).toBe(400);
    expect(await post('&server=No%20Name')).toBe(400);
    expect(await post('', { 'writ-server': 'No Name' })).toBe(400);
    expect(await post('&server=tracker')).toBe(200);
  });

  it('refuses a call whose headers say something else than its arguments, before anything is decided', async () => {
    const call = async (headers: Record<string, string>) => {
      const params = { name: 'secret', arguments: { region: 'eu' } };
      const answer = await postModern(pathOf(), tenant.agent, { method: 'tools/call', params }, headers);
      return [answer.status, (await messageOf(answer)).error?.code];
    };
    expect(await call({ 'mcp-param-region': 'us' })).toEqual([400, -32020]);
    expect(await call({})).toEqual([400, -32020]);
    expect(proposed()).toEqual([]);
    expect(await call({ 'mcp-param-region': 'eu' })).toEqual([200, undefined]);
    expect(proposed()).toHaveLength(1);
  });

  it('leaves out a tool whose definition changed while it was listed', async () => {
    api.kernel.handlers.set('mcp_server.definitions', (_caller, request) => ({
      items: (request['tool_ids'] as string[]).map((tool_id) => ({
        tool_id,
        digest: '0'.repeat(64),
        definition: { ...LOOK, name: 'other' },
      })),
      rest: [],
    }));
    const fresh = { ...LOOK, description: 'fresh' };
    const accepted = { ...acceptedTool(TRACKER, 'look', fresh, 'write'), version: 2 };
    const view = { tool: accepted, definition_digest: '8'.repeat(64), applied_by: 'spec', applied_at: 1 };
    const before = api.kernel.find({ tenant_id: tenant.tenantId } as never, 'mcp.tracker.look');
    api.kernel.keep(tenant.tenantId, 'mcp.tracker.look', 'tool', view);
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['create.issue', 'operations_wait', 'operations_cancel']);
    api.kernel.keep(tenant.tenantId, 'mcp.tracker.look', 'tool', before);
  });

  it('asks about a held call, and then answers it as the server did', async () => {
    let call: ProposedCall | undefined;
    api.kernel.admits = (held) => {
      call = held;
      return { ...viewOf(held, 'held'), result: null };
    };
    const asked: string[] = [];
    const client = await connect({
      elicit: (message) => {
        asked.push(message);
        api.kernel.keep(tenant.tenantId, call!.operation_id, 'operation', answering(ANSWER)(call!));
        return { action: 'accept', content: {} };
      },
    });
    const result = await client.callTool({ name: 'create.issue', arguments: {} });
    expect(asked).toEqual([expect.stringContaining('`mcp.tracker.create_issue`')]);
    expect(result).toMatchObject({ content: PARTS, structuredContent: { number: 1 } });
  });

  it('answers a call that goes on with a task, whose result is that of the server', async () => {
    let call: ProposedCall | undefined;
    api.kernel.admits = (running) => {
      call = running;
      return { ...viewOf(running, 'performing'), result: null };
    };
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const ask = async (method: string, params: object) =>
      await messageOf(await postModern(pathOf(), tenant.agent, { method, params: params as never, capabilities }));
    const { result } = await ask('tools/call', { name: 'create.issue', arguments: {} });
    expect(result).toMatchObject({ resultType: 'task', taskId: call!.operation_id });
    api.kernel.keep(tenant.tenantId, call!.operation_id, 'operation', answering(ANSWER)(call!));
    const task = await ask('tasks/get', { taskId: call!.operation_id });
    expect(task.result).toMatchObject({ status: 'completed', result: { content: PARTS } });
  });

  it('tells of a held call that it has no result, and `operations_wait` gives it later', async () => {
    let call: ProposedCall | undefined;
    api.kernel.admits = (running) => {
      call = running;
      return { ...viewOf(running, 'performing'), result: null };
    };
    const client = await connect({ era: 'legacy' });
    await client.listTools();
    const controller = new AbortController();
    const waiting = client.callTool({ name: 'create.issue', arguments: {} }, { signal: controller.signal });
    await vi.waitFor(() => expect(call).toBeDefined());
    controller.abort();
    await expect(waiting).rejects.toThrow();
    api.kernel.keep(tenant.tenantId, call!.operation_id, 'operation', answering(ANSWER)(call!));
    const operation_id = call!.operation_id;
    const result = await client.callTool({ name: 'operations_wait', arguments: { operation_id } });
    expect(result).toMatchObject({ content: PARTS, structuredContent: { number: 1 } });
  });
});
