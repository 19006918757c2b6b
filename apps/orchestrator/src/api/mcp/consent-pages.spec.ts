// SPDX-License-Identifier: Apache-2.0
// Calls of persons who are not connected to the MCP server: the page that their clients show, and the call after it.
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, MCP_ASK_LIMITS, MCP_INPUT, type McpAsk, type OperationView, type ProposedCall } from '@writ/contract';
import { acceptedTool, serverRequests } from '@writ/mcp-tool';
import { newId } from '@writ/nest-kit';
import { mcpConnectionOf, viewOf } from '../../specs/fake-views.ts';
import { messageOf, postModern } from '../../specs/mcp-request.ts';
import { createFixture, GRANT, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

const PUBLIC = 'https://writ.example.org';
const ASKS: readonly McpAsk[] = ['elicitation'];
const TRACKER = { name: 'tracker', digest: 'd'.repeat(64), asks: ASKS };
const REQUESTS = serverRequests({ resources: {}, prompts: {}, completions: {} }).map(({ name }) => name);
const localName = (name: string): string => name.replaceAll('/', '_');
const PAGES = { elicitation: { url: {} } };
let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
let token: string;
/** what becomes of each proposed call */
let ends: ('refused' | 'committed' | 'asks')[];
/** of the connection, each time it is looked at */
let states: string[];

beforeAll(async () => {
  api = await openTestApi({ WRIT_PUBLIC_URL: PUBLIC });
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
  for (const name of ['create', 'other', ...REQUESTS.map(localName)]) {
    const tool = acceptedTool(TRACKER, name, { name, inputSchema: { type: 'object' } }, 'write');
    const view = { tool: { ...tool, version: 1 }, definition_digest: '7'.repeat(64), applied_by: 's', applied_at: 1 };
    api.kernel.keep(tenant.tenantId, tool.tool_id, 'tool', view);
  }
  token = newId('token');
  const grant = { ...GRANT, tools: ['mcp.tracker.*'] };
  const kept = api.kernel.find({ tenant_id: tenant.tenantId } as never, has.capability_token_id) as object;
  api.kernel.keep(tenant.tenantId, token, 'token', { ...kept, capability_token_id: token, chain: [token], grant });
});
afterAll(() => api.close());
beforeEach(() => {
  const { kernel } = api;
  kernel.requests.length = 0;
  [ends, states] = [['refused', 'committed'], ['connected']];
  kernel.admits = (call) => {
    const view = ended(call, ends.shift() ?? 'refused');
    kernel.keep(tenant.tenantId, call.operation_id, 'operation', view);
    return view;
  };
  const link = { connection_id: newId('connection'), handle: 'h'.repeat(43), expires_at: 1 };
  kernel.handlers.set('mcp_connection.ask', () => link);
  kernel.handlers.set('mcp_server.find_tool', (_caller, { remote_name }) => ({
    tool: { tool_id: `mcp.tracker.${localName(String(remote_name))}`, digest: '8'.repeat(64) },
  }));
  kernel.handlers.set('mcp_server.definitions', () => ({ items: [], rest: [] }));
  kernel.handlers.set('mcp_connection.read', (_caller, { connection_id }) =>
    mcpConnectionOf(connection_id, states.length > 1 ? states.shift() : states[0]),
  );
});

const QUESTION = {
  requests: { who: { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema: {} } } },
  state: 'state of the server',
};
function ended(call: ProposedCall, end: 'refused' | 'committed' | 'asks'): OperationView {
  const view = viewOf(call, end === 'refused' ? end : 'committed');
  if (end === 'committed') return view;
  if (end === 'asks') {
    const result = { content: [], structured: null, is_error: false, truncated: false, asks: QUESTION };
    return { ...view, result: { ...view.result!, status: 'ok', error: null, result, result_ref: null } };
  }
  const error = { code: 'mcp.consent_required', message: 'not connected', hint: null };
  return { ...view, result: { ...view.result!, status: 'error', error, result: null } };
}
const proposed = (): ProposedCall[] =>
  api.kernel.requests.filter(({ verb }) => verb === 'admit').map(({ request }) => request as unknown as ProposedCall);
const asked = () => api.kernel.requests.filter(({ verb }) => verb === 'mcp_connection.ask');

interface Sent {
  readonly state?: unknown;
  readonly action?: string;
  readonly key?: string;
  readonly capabilities?: object;
  readonly name?: string;
}
async function call({
  state,
  action,
  key = tenant.admin,
  capabilities = PAGES,
  name = 'mcp_tracker_create',
}: Sent = {}) {
  const params = {
    name,
    arguments: { a: 1 },
    ...(state === undefined ? {} : { requestState: state }),
    ...(action === undefined ? {} : { inputResponses: { connect: { action } } }),
  };
  const path = `${api.url}/mcp/${token}?workspace_id=${has.workspace_id}`;
  return await messageOf(await postModern(path, key, { method: 'tools/call', params, capabilities }));
}

it('a client that shows pages gets that of this person, and the call is made anew after the consent', async () => {
  states = ['asked', 'connected'];
  const { result } = await call();
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: {
      connect: {
        method: 'elicitation/create',
        params: { mode: 'url', url: expect.stringMatching(/^https:\/\/writ\.example\.org\/connect\/h{43}/) },
      },
    },
  });
  expect(asked()[0]?.request).toMatchObject({ server: 'tracker', lists: false });
  const after = await call({ state: result?.['requestState'], action: 'accept' });
  expect(after.result).toMatchObject({ structuredContent: { state: 'committed' } });
  const [refused, anew] = proposed();
  expect(anew).toMatchObject({ tool_id: refused!.tool_id, args: { a: 1 } });
  expect(anew!.operation_id).not.toBe(refused!.operation_id);
  expect(anew!.idempotency_key).not.toBe(refused!.idempotency_key);
});

it.each([
  ['declines', 'decline', 'connected'],
  ['says nothing', undefined, 'connected'],
  ['accepts, and does not consent', 'accept', 'failed'],
])('a person who %s leaves the call refused, and no other is proposed', async (_what, action, state) => {
  states = [state];
  const first = await call();
  const sent = { state: first.result?.['requestState'], ...(action === undefined ? {} : { action }) };
  const { result } = await call(sent);
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'mcp.consent_required' } } });
  expect(proposed()).toHaveLength(1);
});

it.each<[string, () => Sent | Promise<Sent>]>([
  ['a client that shows no page', () => ({ capabilities: { elicitation: { form: {} } } })],
  ['a client that says no more than that it asks', () => ({ capabilities: { elicitation: {} } })],
  ['an API key, which is no person', async () => ({ key: await api.newKey(tenant.tenantId, 'admin') })],
])('%s gets words, and no link', async (_who, sent) => {
  const { result } = await call(await sent());
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'mcp.consent_required' } } });
  expect(asked()).toEqual([]);
});

it('a call whose consent ended after the decision has a page as well', async () => {
  const { admits } = api.kernel;
  api.kernel.admits = async (proposal) => ({ ...(await admits(proposal)), state: 'rolled_back' });
  expect((await call()).result).toMatchObject({ inputRequests: { connect: { params: { mode: 'url' } } } });
});

it('a state of a page serves the same request of the same key alone', async () => {
  const state = (await call()).result?.['requestState'];
  const key = await api.newKey(tenant.tenantId, 'admin');
  for (const sent of [{ key }, { name: 'mcp_tracker_other' }])
    expect((await call({ state, action: 'accept', ...sent })).error?.code).toBe(-32602);
  expect(proposed()).toHaveLength(1);
});

/** What the person of the client answers to the server, and to Writ. */
const WHO = { who: { action: 'accept', content: { name: 'Ada' } } };
const CONNECT = { connect: { action: 'accept' } };
const BOTH = { elicitation: { url: {}, form: {} } };

/** A request at the mount of the server, where it may ask its client as well. */
async function atMount(method: string, params: object, capabilities: object = BOTH) {
  const path = `${api.url}/mcp/${token}?workspace_id=${has.workspace_id}&server=tracker`;
  return await messageOf(await postModern(path, tenant.admin, { method, params: { ...params }, capabilities }));
}
const create = (requestState?: unknown, inputResponses?: object) =>
  atMount('tools/call', {
    name: 'create',
    arguments: { a: 1 },
    ...(requestState === undefined ? {} : { requestState }),
    ...(inputResponses === undefined ? {} : { inputResponses }),
  });
const inputs = () => proposed().map(({ args }) => (args as Record<string, unknown>)[MCP_INPUT]);

describe('the call after a consent, at a mount,', () => {
  it('takes the answer to the page of Writ to no server', async () => {
    const { result } = await create();
    const after = await create(result?.['requestState'], { ...CONNECT, ...WHO });
    expect(after.result).toMatchObject({ _meta: { 'writ.dev/operation': { state: 'committed' } } });
    expect(inputs()).toEqual([{ capabilities: ASKS }, { capabilities: ASKS }]);
  });

  it('answers what the refused one answered, and is the same call when it is sent again', async () => {
    ends = ['asks', 'refused', 'committed', 'committed'];
    const asks = await create();
    const refused = await create(asks.result?.['requestState'], WHO);
    expect(refused.result).toMatchObject({ resultType: 'input_required', inputRequests: { connect: {} } });
    const state = refused.result?.['requestState'];
    expect(Buffer.from(String(state).split('.')[1]!, 'base64url').toString()).not.toContain('state of the server');
    for (let sent = 0; sent < 2; sent += 1)
      expect((await create(state, CONNECT)).result).toMatchObject({ resultType: 'complete' });
    const answer = { capabilities: ASKS, responses: WHO, state: 'state of the server' };
    expect(inputs().slice(1)).toEqual([answer, answer, answer]);
    const [asking, ...answering] = proposed().map(({ idempotency_key }) => idempotency_key);
    expect(answering).toEqual(Array(3).fill(answering[0]));
    expect(answering[0]).not.toBe(asking);
  });

  it('follows one that keeps its key, and then the question is answered once as well', async () => {
    const claims = new Map<string | null, OperationView>();
    const { admits } = api.kernel;
    api.kernel.admits = async (proposal) => {
      const { idempotency_key: key } = proposal;
      const claimed = claims.get(key);
      if (claimed !== undefined) return { ...claimed, replayed: true };
      const view = await admits(proposal);
      claims.set(key, view);
      return view;
    };
    ends = ['asks', 'refused', 'refused', 'committed', 'committed'];
    const asks = await create();
    let state = (await create(asks.result?.['requestState'], WHO)).result?.['requestState'];
    state = (await create(state, CONNECT)).result?.['requestState'];
    const end = await create(state, CONNECT);
    expect(end.result).toMatchObject({ _meta: { 'writ.dev/operation': { state: 'committed' } } });
    expect((await create(state, CONNECT)).result?.['_meta']).toEqual(end.result?.['_meta']);
    await create(asks.result?.['requestState'], WHO);
    expect([...claims.values()].map(({ state: of }) => of)).toEqual(['committed', 'refused', 'refused', 'committed']);
  });

  it('has what the client answered before it was asked', async () => {
    const { result } = await create(undefined, WHO);
    await create(result?.['requestState'], CONNECT);
    expect(inputs()).toEqual([
      { capabilities: ASKS, responses: WHO },
      { capabilities: ASKS, responses: WHO },
    ]);
  });

  it('is asked about again where the answers were too long to be kept', async () => {
    ends = ['asks', 'refused', 'committed'];
    const long = { who: { action: 'accept', content: { name: 'a'.repeat(MCP_ASK_LIMITS.bytes) } } };
    const asks = await create();
    const refused = await create(asks.result?.['requestState'], long);
    const again = await create(refused.result?.['requestState'], CONNECT);
    expect(again.result).toMatchObject({ resultType: 'input_required', inputRequests: { who: {} } });
    await create(again.result?.['requestState'], WHO);
    // Arguments as long as those of the refused call are stored by reference.
    const [, , { args } = { args: {} }] = proposed();
    const answer = { capabilities: ASKS, responses: WHO, state: 'state of the server' };
    expect(args).toEqual({ a: 1, [MCP_INPUT]: answer });
  });
});

const ASKED: Readonly<Record<string, object>> = {
  'resources/read': { uri: 'test://a' },
  'prompts/get': { name: 'review' },
  'completion/complete': { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'code', value: '' } },
};
describe.each(REQUESTS)('a refused %s at a mount', (method) => {
  const mayAsk = ['resources/read', 'prompts/get'].includes(method);
  it(`leads to ${mayAsk ? 'the page' : 'words, and no consent is asked for'}`, async () => {
    const { result, error } = await atMount(method, ASKED[method] ?? {}, PAGES);
    expect(asked()).toHaveLength(mayAsk ? 1 : 0);
    if (mayAsk) return expect(result).toMatchObject({ inputRequests: { connect: { params: { mode: 'url' } } } });
    const [{ operation_id } = { operation_id: '' }] = proposed();
    expect(error).toMatchObject({ code: -32602, data: { operation_id, code: 'mcp.consent_required' } });
  });
});

describe('the link of a person to a server', () => {
  /** A link that is valid for some minutes. */
  const links = (minutes = 10): void => {
    api.kernel.handlers.set('mcp_connection.ask', () => ({
      connection_id: newId('connection'),
      handle: newId('connection').padEnd(43, 'x').slice(0, 43),
      expires_at: Date.now() + minutes * 60_000,
    }));
  };
  const urlOf = ({ result }: Awaited<ReturnType<typeof call>>): unknown =>
    (result?.['inputRequests'] as { readonly connect?: { readonly params: { readonly url: unknown } } }).connect?.params
      .url;
  /** the key of somebody who has no link yet */
  let person: string;
  beforeEach(async () => {
    ends = [];
    links();
    person = await api.newKey(tenant.tenantId, 'admin');
    const [provider] = await api.identities.list(tenant.tenantId);
    api.identities.vouch(tenant.tenantId, person, provider!.provider_id);
  });
  it.each(['asked', 'confirmed', 'exchanging'])('serves all calls that wait while it is %s', async (state) => {
    states = [state];
    const urls = (await Promise.all(Array.from({ length: 9 }, () => call({ key: person })))).map(urlOf);
    expect([new Set(urls).size, asked().length]).toEqual([1, 1]);
    // Another person has another one.
    expect(urls).not.toContain(urlOf(await call()));
  });

  it.each<[string, () => void]>([
    ['its consent failed', () => (states = ['failed'])],
    ['its connection ended', () => (states = ['ended'])],
    ['its person connected, and was refused since', () => (states = ['connected'])],
  ])('is another one once %s', async (_what, change) => {
    states = ['asked'];
    const first = urlOf(await call({ key: person }));
    change();
    expect(urlOf(await call({ key: person }))).not.toBe(first);
  });

  it('is another one where too little of its lifetime is left', async () => {
    states = ['asked'];
    links(1);
    expect(urlOf(await call({ key: person }))).not.toBe(urlOf(await call({ key: person })));
  });

  /** Runs before each look at a connection. @returns how often somebody looked */
  const beforeLooks = (run: () => Promise<unknown>): (() => number) => {
    const { handlers } = api.kernel;
    const look = handlers.get('mcp_connection.read')!;
    let looks = 0;
    handlers.set('mcp_connection.read', async (caller, request) => {
      looks += 1;
      await run();
      return await look(caller, request);
    });
    return () => looks;
  };

  it('is looked at once for all calls that are made at once', async () => {
    states = ['asked'];
    const first = urlOf(await call({ key: person }));
    const looks = beforeLooks(() => sleep(1_000));
    const urls = (await Promise.all(Array.from({ length: 5 }, () => call({ key: person })))).map(urlOf);
    expect([new Set([first, ...urls]).size, looks()]).toEqual([1, 1]);
  });

  it('is kept while nobody can look at it', async () => {
    states = ['asked'];
    const first = urlOf(await call({ key: person }));
    beforeLooks(() => Promise.reject(new Fault('queue.full', 'too many')));
    expect(urlOf(await call({ key: person }))).toBe(first);
  });

  it('is asked for anew after it could not be had', async () => {
    api.kernel.handlers.set('mcp_connection.ask', () => {
      throw new Fault('conflict', 'too many');
    });
    expect((await call({ key: person })).result).toMatchObject({ isError: true });
    links();
    expect(urlOf(await call({ key: person }))).toEqual(expect.stringContaining('/connect/'));
  });
});
