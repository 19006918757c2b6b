// SPDX-License-Identifier: Apache-2.0
// Resources, prompts and completions of a server at its mount: the official client in both revisions, over a fake
// kernel.
import type { Client } from '@modelcontextprotocol/client';
import { Fault, type McpRemoteTool, type McpTool, type OperationView, type ProposedCall } from '@writ/contract';
import { acceptedTool, remoteDigest, serverRequests } from '@writ/mcp-tool';
import { newId } from '@writ/nest-kit';
import { resourceOf, viewOf } from '../../../specs/fake-views.ts';
import { ERAS, mcpClient } from '../../../specs/mcp-client.ts';
import { messageOf, postLegacy, postModern } from '../../../specs/mcp-request.ts';
import { createFixture, GRANT, type Fixture } from '../../../specs/tenant-fixture.ts';
import { mountedRequest } from './mounted-requests.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../../specs/test-api.ts';

const SERVER = { name: 'tracker', digest: 'd'.repeat(64) };
const LOOK: McpRemoteTool = { name: 'look', inputSchema: { type: 'object' } };
const REQUESTS = serverRequests({ resources: {}, prompts: {}, completions: {} });
const LISTED = [LOOK, ...REQUESTS];
const localName = (name: string): string => name.replaceAll('/', '_');
const idOf = (name: string): string => `mcp.tracker.${localName(name)}`;

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
let token: string;
let open: Client[] = [];
/** tools that were accepted once and are out of force */
let outOfForce: string[] = [];

const keep = (tool: McpRemoteTool): void => {
  const accepted = { ...acceptedTool(SERVER, localName(tool.name), tool, 'read'), version: 1 } satisfies McpTool;
  const view = { tool: accepted, definition_digest: remoteDigest(tool), applied_by: 'spec', applied_at: 1 };
  api.kernel.keep(tenant.tenantId, idOf(tool.name), 'tool', view);
};
/** A token that grants these tools. */
function tokenOf(tools: readonly string[], more: object = {}): string {
  const id = newId('token');
  const kept = api.kernel.find({ tenant_id: tenant.tenantId } as never, has.capability_token_id) as object;
  api.kernel.keep(tenant.tenantId, id, 'token', {
    ...kept,
    capability_token_id: id,
    chain: [id],
    grant: { ...GRANT, tools, ...more },
  });
  return id;
}

beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
  const resource_id = newId('resource');
  const settings = { transport: 'http', url: 'https://mcp.example.org/mcp' };
  const resource = resourceOf(resource_id, { kind: 'mcp_server', name: 'tracker', settings });
  api.kernel.keep(tenant.tenantId, resource_id, 'resource', resource);
  LISTED.forEach(keep);
  token = tokenOf(['mcp.tracker.*']);
  api.kernel.handlers.set('mcp_server.find_tool', (_caller, { name, remote_name }) => {
    const found = name === 'tracker' ? LISTED.find((tool) => tool.name === remote_name) : undefined;
    return { tool: found === undefined ? null : { tool_id: idOf(found.name), digest: remoteDigest(found) } };
  });
  api.kernel.handlers.set('mcp_server.definitions', (_caller, request) => ({
    items: LISTED.filter(({ name }) => (request['tool_ids'] as string[]).includes(idOf(name))).map((definition) => ({
      tool_id: idOf(definition.name),
      digest: remoteDigest(definition),
      definition,
    })),
    rest: [],
  }));
  const listTools = api.kernel.handlers.get('tool.list')!;
  api.kernel.handlers.set('tool.list', async (caller, request) => {
    const { items, next_cursor } = (await listTools(caller, request)) as { items: McpViews; next_cursor: null };
    return { items: items.filter(({ tool }) => !outOfForce.includes(tool.tool_id)), next_cursor };
  });
});
type McpViews = { readonly tool: McpTool }[];
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
});
afterEach(async () => {
  await Promise.all(open.map((client) => client.close()));
  [open, outOfForce] = [[], []];
});

const pathOf = (of = token, query = '&server=tracker'): string =>
  `${api.url}/mcp/${of}?workspace_id=${has.workspace_id}${query}`;
const connect = async (options: Parameters<typeof mcpClient>[2] = {}, path = pathOf()): Promise<Client> => {
  const client = await mcpClient(path, tenant.agent, options);
  open.push(client);
  return client;
};
const proposed = (): ProposedCall[] =>
  api.kernel.requests.filter(({ verb }) => verb === 'admit').map(({ request }) => request as unknown as ProposedCall);
const answering =
  (result: object | null, over: Partial<OperationView> = {}) =>
  (call: ProposedCall): OperationView => {
    const view = viewOf(call, 'committed');
    return { ...view, result: { ...view.result!, status: 'ok', error: null, result, result_ref: null }, ...over };
  };
const answerOf = (structured: object | null, truncated = false) => ({
  content: [],
  structured,
  is_error: false,
  truncated,
});
const ended = (structured: object | null, over?: Partial<OperationView>): void => {
  api.kernel.admits = answering(answerOf(structured), over);
};
const READ = { contents: [{ uri: 'test://a', mimeType: 'text/plain', text: 'a plan' }] };

/** Each request: what a client asks, the arguments of the call, and what the server answers. */
const ASKED: readonly (readonly [string, (client: Client) => Promise<object>, object, object])[] = [
  [
    'resources/list',
    (client) => client.listResources({ cursor: 'page-2' }),
    { cursor: 'page-2' },
    { resources: [{ uri: 'test://a', name: 'a', size: 3 }], nextCursor: 'page-3' },
  ],
  [
    'resources/templates/list',
    (client) => client.listResourceTemplates({ cursor: 't' }),
    { cursor: 't' },
    { resourceTemplates: [{ uriTemplate: 'test://{id}', name: 'template' }] },
  ],
  ['resources/read', (client) => client.readResource({ uri: 'test://a' }), { uri: 'test://a' }, READ],
  [
    'prompts/list',
    (client) => client.listPrompts({ cursor: 'p' }),
    { cursor: 'p' },
    { prompts: [{ name: 'review', arguments: [{ name: 'code', required: true }] }] },
  ],
  [
    'prompts/get',
    (client) => client.getPrompt({ name: 'review', arguments: { code: 'x' } }),
    { name: 'review', arguments: { code: 'x' } },
    { description: 'A review.', messages: [{ role: 'user', content: { type: 'text', text: 'Review x.' } }] },
  ],
  [
    'completion/complete',
    (client) =>
      client.complete({
        ref: { type: 'ref/prompt', name: 'review' },
        argument: { name: 'code', value: 'y' },
        context: { arguments: { language: 'c' } },
      }),
    {
      ref: { type: 'ref/prompt', name: 'review' },
      argument: { name: 'code', value: 'y' },
      context: { arguments: { language: 'c' } },
    },
    { completion: { values: ['yes'], total: 1, hasMore: false } },
  ],
];

describe.each(ERAS)('what a server has beside tools, at its mount, with the revision %s', (era) => {
  it('is declared, and is no tool there', async () => {
    const client = await connect({ era });
    expect(client.getServerCapabilities()).toMatchObject({
      resources: { listChanged: false, subscribe: false },
      prompts: { listChanged: false },
      completions: {},
    });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['look', 'operations_wait', 'operations_cancel']);
    ended(READ);
    await client.callTool({ name: 'resources/read', arguments: { uri: 'test://a' } });
    // No tool can have a name as long as this.
    expect(proposed()[0]!.tool_id).toMatch(/^mcp\.tracker\.resources_read_[0-9a-f]{64}$/);
  });

  it.each(ASKED)('%s is a call, and is answered as the server does', async (method, ask, args, answer) => {
    ended(answer);
    const client = await connect({ era });
    const result = await ask(client);
    const [call, another] = proposed();
    expect(call).toMatchObject({ tool_id: idOf(method), provenance: { source: 'mcp' } });
    expect([call!.args, another]).toEqual([args, undefined]);
    const { operation_id } = call!;
    expect(result).toMatchObject({
      ...answer,
      _meta: {
        'writ.dev/operation-id': operation_id,
        'writ.dev/operation': { state: 'committed', error: null, receipt: `writ://receipts/${operation_id}` },
      },
    });
  });

  it('declares what is in force and granted alone, and each capability only with all that it promises', async () => {
    const declared = async (of?: string) => {
      const {
        tools: _tools,
        extensions: _extensions,
        ...more
      } = (await connect({ era }, pathOf(of))).getServerCapabilities()!;
      return Object.keys(more).sort();
    };
    expect(await declared(tokenOf(['mcp.tracker.look']))).toEqual([]);
    const some = tokenOf(['resources/read', 'prompts/list', 'prompts/get', 'completion/complete'].map(idOf));
    expect(await declared(some)).toEqual(['completions', 'prompts']);
    outOfForce = [idOf('prompts/get'), idOf('completion/complete')];
    expect(await declared()).toEqual(['resources']);
    // A tool of the server itself that was accepted under such a name before the names were Writ's.
    keep({ name: 'resources/read', inputSchema: { type: 'object' } });
    expect(await declared()).toEqual([]);
    LISTED.forEach(keep);
  });

  it('answers a refusal, a failure and a fault as errors that name the operation', async () => {
    const client = await connect({ era });
    const error = { code: 'policy.denied', message: 'the policy forbids the call', hint: 'ask' };
    for (const [state, code] of [
      ['refused', 'policy.denied'],
      ['rolled_back', 'mcp.failed'],
    ] as const) {
      api.kernel.admits = (call) => {
        const view = viewOf(call, state);
        return { ...view, result: { ...view.result!, status: 'error', error: { ...error, code }, result: null } };
      };
      const failed = await client.readResource({ uri: 'test://b' }).catch((reason: unknown) => reason);
      const { operation_id } = proposed().at(-1)!;
      expect(failed).toMatchObject({
        code: -32602,
        message: expect.stringContaining(`${code}: the policy forbids the call (ask)`),
        data: { uri: 'test://b', operation_id, state, code, receipt: `writ://receipts/${operation_id}` },
      });
    }
    api.kernel.admits = () => {
      throw new Fault('record.backlog');
    };
    await expect(client.listResources({ cursor: 'c' })).rejects.toMatchObject({
      code: -32602,
      data: { operation_id: expect.stringMatching(/^op_/), state: 'unknown', code: 'record.backlog' },
    });
  });

  it('proposes what is not granted or out of force, so that the kernel refuses and records it', async () => {
    outOfForce = [idOf('prompts/get')];
    const ask = async (method: string, params: Record<string, unknown>, of?: string) =>
      await rawAsk(era, pathOf(of), method, params);
    api.kernel.admits = (call) => viewOf(call, 'refused');
    const refused = await ask('prompts/get', { name: 'review' });
    expect(refused.error).toMatchObject({ code: -32602, data: { state: 'refused' } });
    await ask('resources/read', { uri: 'test://a' }, tokenOf(['mcp.tracker.look']));
    expect(proposed().map(({ tool_id }) => tool_id)).toEqual([idOf('prompts/get'), idOf('resources/read')]);
  });

  it('has no method whose tool was never accepted, and asks for nothing then', async () => {
    const answer = await rawAsk(era, pathOf(token, '&server=nowhere'), 'resources/list', {});
    expect(answer.error).toMatchObject({ code: -32601 });
    expect(proposed()).toEqual([]);
  });

  it.each([
    ['that was too long', answering(answerOf(null, true)), /too long/],
    ['that was too long to be stored beside its operation', answering(null), /no answer of the server/],
    [
      'that was erased',
      (call: ProposedCall) => ({ ...viewOf(call, 'committed'), result: null }),
      /no answer of the server/,
    ],
    ['of a dry run has another form', answering({ would: 'run' }), /no answer of the server/],
    ['that says that it failed', answering({ ...answerOf(READ), is_error: true }), /no answer of the server/],
    [
      'with parts that the policy redacts',
      answering(answerOf({ contents: [{ uri: 'test://a', text: '[redacted]' }] }), {
        redactions: [{ rule: 'r', pointers: ['/structured/contents/0/text'] }],
      }),
      /the policy keeps parts of its answer/,
    ],
  ] as const)('an answer %s is an error', async (_what, admits, words) => {
    api.kernel.admits = admits;
    const client = await connect({ era });
    const failed = await client.readResource({ uri: 'test://a' }).catch((reason: unknown) => reason);
    expect(failed).toMatchObject({
      code: -32602,
      message: expect.stringMatching(words),
      data: { operation_id: proposed()[0]!.operation_id, state: 'committed' },
    });
    expect(JSON.stringify(failed)).not.toContain('[redacted]');
  });
});

/** Asks without a client that knows what the server declared. */
const rawAsk = async (era: (typeof ERAS)[number], path: string, method: string, params: Record<string, unknown>) =>
  await messageOf(await (era === 'auto' ? postModern : postLegacy)(path, tenant.agent, { method, params }));

describe('what a server has beside tools', () => {
  it('is a tool as any other where all of Writ is served', async () => {
    const { tools } = await (await connect({}, pathOf(token, ''))).listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(REQUESTS.map(({ name }) => `mcp_tracker_${name.replaceAll('/', '_')}`)),
    );
    expect(tools.find(({ name }) => name === 'mcp_tracker_resources_read')?.inputSchema).toMatchObject({
      required: ['uri'],
    });
  });

  it('is looked up for requests alone that need it', async () => {
    const client = await connect();
    api.kernel.requests.length = 0;
    const verbs = () => api.kernel.requests.splice(0).map(({ verb }) => verb);
    ended(READ);
    await client.readResource({ uri: 'test://a' });
    expect(verbs().filter((verb) => verb.startsWith('mcp_server.') || verb.startsWith('tool.'))).toEqual([
      'mcp_server.find_tool',
    ]);
    await rawAsk('legacy', pathOf(), 'ping', {});
    expect(verbs()).toEqual(['token.read']);
  });

  it('may be kept by one client alone, for as long as other lists', async () => {
    for (const [method, answer] of [
      ['resources/list', { resources: [] }],
      ['resources/templates/list', { resourceTemplates: [] }],
      ['prompts/list', { prompts: [] }],
    ] as const) {
      ended(answer);
      const { result } = await rawAsk('auto', pathOf(), method, {});
      expect(result).toMatchObject({ ttlMs: 10_000, cacheScope: 'private' });
    }
    ended(READ);
    const { result } = await rawAsk('auto', pathOf(), 'resources/read', { uri: 'test://a' });
    expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });

  it('is asked about where a call of it is held, and then answered as the server did', async () => {
    for (const [method, params, answer] of [
      ['resources/read', { uri: 'test://a' }, READ],
      ['prompts/get', { name: 'review' }, { messages: [] }],
    ] as const) {
      api.kernel.admits = (call) => ({ ...viewOf(call, 'held'), result: null });
      const ask = async (more: object) =>
        await messageOf(
          await postModern(pathOf(), tenant.agent, {
            method,
            params: { ...params, ...more },
            capabilities: { elicitation: { form: {} } },
          }),
        );
      const held = await ask({});
      expect(held.result).toMatchObject({ resultType: 'input_required', inputRequests: { approval: {} } });
      const call = proposed().at(-1)!;
      const again = {
        requestState: held.result!['requestState'],
        inputResponses: { approval: { action: 'accept', content: {} } },
      };
      api.kernel.keep(tenant.tenantId, call.operation_id, 'operation', answering(answerOf(answer))(call));
      expect((await ask(again)).result).toMatchObject(answer);
      const other = await ask({ ...again, ...(method === 'prompts/get' ? { name: 'x' } : { uri: 'test://b' }) });
      expect(other.error).toMatchObject({ code: -32602 });
    }
    expect(proposed()).toHaveLength(2);
  });

  it.each(ERAS)('is waited for where its method has no question, with the revision %s', async (era) => {
    let held: ProposedCall | undefined;
    api.kernel.admits = (call) => {
      held = call;
      return { ...viewOf(call, 'held'), result: null };
    };
    const client = await connect({ era, elicit: () => ({ action: 'decline' }) });
    const waiting = client.listResources({ cursor: 'c' });
    await vi.waitFor(() => expect(held).toBeDefined());
    const answer = { resources: [{ uri: 'test://a', name: 'a' }] };
    api.kernel.keep(tenant.tenantId, held!.operation_id, 'operation', answering(answerOf(answer))(held!));
    expect(await waiting).toMatchObject(answer);
    const { operation_id } = held!;
    const later = await client.callTool({ name: 'operations_wait', arguments: { operation_id } });
    expect(later).toMatchObject({ structuredContent: answer });
    expect(later.isError).toBeUndefined();
  });

  it('takes an idempotency key and a dry run as calls do, and a dry run has no answer of the server', async () => {
    api.kernel.admits = answering({ would: 'run' });
    const params = { uri: 'test://a', _meta: { 'writ.dev/idempotency-key': 'k1', 'writ.dev/dry-run': true } };
    expect((await rawAsk('auto', pathOf(), 'resources/read', params)).error).toMatchObject({ code: -32602 });
    expect(proposed()[0]).toMatchObject({ idempotency_key: 'k1', dry_run: true });
  });

  it('names the operation in an error whatever its words are', async () => {
    api.kernel.admits = (call) => {
      const view = viewOf(call, 'refused');
      const error = { code: 'policy.denied', message: `no ${'😀'.repeat(3_000)}`, hint: 'h'.repeat(3_000) };
      return { ...view, result: { ...view.result!, status: 'error', error, result: null } };
    };
    const { error } = await rawAsk('auto', pathOf(), 'prompts/list', {});
    expect(error).toMatchObject({
      message: expect.stringMatching(/^policy\.denied: no 😀/),
      data: { operation_id: proposed()[0]!.operation_id, code: 'policy.denied' },
    });
  });

  it.each(ERAS)(
    'is not declared for a token that is over, whose requests say so, with the revision %s',
    async (era) => {
      const over = pathOf(tokenOf(['mcp.tracker.*'], { expires_at: 1 }));
      const client = await connect({ era }, over);
      expect(client.getServerCapabilities()).not.toHaveProperty('resources');
      await expect(client.listTools()).rejects.toMatchObject({ data: { code: 'token.expired' } });
    },
  );

  it('is no promise while nobody knows what is granted: connecting fails, and may be tried again', async () => {
    const listTools = api.kernel.handlers.get('tool.list')!;
    api.kernel.handlers.set('tool.list', () => {
      throw new Fault('database.unavailable');
    });
    await expect(connect({ era: 'legacy' })).rejects.toThrow(/database\.unavailable/);
    api.kernel.handlers.set('tool.list', listTools);
  });
});

it('a call that has not ended is an error that says how its end is found', async () => {
  const about = { operation_id: 'op_1', state: 'performing', approval_id: null, receipt: null };
  const structuredContent = { ...about, result: null, error: null, next: 'Ask later.' };
  const calls = { run: () => Promise.resolve({ content: [], structuredContent }) };
  const tool = { tool_id: idOf('prompts/get'), digest: '' };
  const remote = { asking: () => Promise.resolve({ asks: [], digest: null }) };
  const context = () => ({ isModern: false }) as never;
  const asked = mountedRequest({ calls, remote }, { method: 'prompts/get', tool }, context, { name: 'review' });
  await expect(asked).rejects.toMatchObject({ code: -32602, message: 'Ask later.', data: { ...about, code: null } });
});
