// SPDX-License-Identifier: Apache-2.0
// What a client sends back as `requestState`: over all methods of both addresses in both revisions, with a fake kernel.
import { Server } from '@modelcontextprotocol/server';
import { Fault, ID_KINDS, type McpRemoteTool, type OperationId, type OperationView } from '@writ/contract';
import { serverRequests } from '@writ/mcp-tool';
import { newId } from '@writ/nest-kit';
import { viewOf } from '../../specs/fake-views.ts';
import { ERAS, type Era } from '../../specs/mcp-client.ts';
import { messageOf, postLegacy, postModern } from '../../specs/mcp-request.ts';
import { keepTracker, trackerTool } from '../../specs/mounted-server.ts';
import { callOf, createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, TEST_CONFIG, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { heldStates } from './mcp-endpoint.ts';
import { askedAt, digestOfAsked, type HeldState } from './held-state.ts';
import { saidInMeta } from './proposed-body.ts';

const LOOK: McpRemoteTool = { name: 'look', inputSchema: { type: 'object' } };
const LISTED = [LOOK, ...serverRequests({ resources: {}, prompts: {}, completions: {} })];
const CAPABILITIES = { elicitation: { form: {}, url: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };
/** What the operation has that a forged state names. */
const SECRET = 'a secret of another operation';

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
let token: string;
/** An operation that the caller may read, of which no state says so. */
const named = newId('operation');
/** The operation of a task. */
const taskId = newId('operation');

beforeAll(async () => {
  api = await openTestApi({ WRIT_PUBLIC_URL: 'https://writ.example.org' });
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
  token = keepTracker(api, tenant, has, LISTED, ['fs.*', 'skill.*']);
  const { kernel } = api;
  kernel.admits = (call) => viewOf(call, 'refused');
  kernel.handlers.set('mcp_connection.read', () => {
    throw new Fault('not_found');
  });
  keepOperation(named, SECRET);
  keepOperation(taskId, 'of a task');
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
});

/** Keeps an operation whose result has a text, in every form that a method answers with. */
function keepOperation(operation_id: OperationId, text: string): void {
  const call = { ...callOf(tenant), operation_id };
  const view: OperationView = viewOf(call, 'committed');
  const structured = {
    resources: [{ uri: 'test://x', name: text }],
    resourceTemplates: [{ uriTemplate: 'test://{x}', name: text }],
    prompts: [{ name: text }],
    completion: { values: [text] },
    contents: [{ uri: 'test://x', text }],
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
  const content = [{ type: 'text', text }];
  const result = { content, structured, is_error: false, truncated: false, encoding: 'utf8' };
  api.kernel.keep(tenant.tenantId, operation_id, 'operation', {
    ...view,
    result: { ...view.result!, status: 'ok', error: null, result, result_ref: null },
  });
}

interface Method {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** what its states are of, where it has any */
  readonly asked?: Readonly<Record<string, unknown>>;
}
const NO_META = saidInMeta({});
const REF = { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'a', value: 'b' } };
const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };

/** Methods that are the same at both addresses. */
const both = (era: Era): readonly Method[] => [
  { method: 'tools/list' },
  { method: 'subscriptions/listen' },
  ...(era === 'legacy'
    ? [{ method: 'initialize', params: CLIENT }, { method: 'ping' }]
    : [
        { method: 'server/discover' },
        ...['tasks/get', 'tasks/update', 'tasks/cancel'].map((method) => ({ method, params: { taskId } })),
      ]),
];
const OWN: readonly Method[] = [
  {
    method: 'tools/call',
    params: { name: 'fs.read', arguments: { path: 'a' } },
    asked: { id: 'fs.read', args: { path: 'a' }, ...NO_META },
  },
  { method: 'resources/read', params: { uri: 'writ://workspace/a' }, asked: { uri: 'writ://workspace/a' } },
  { method: 'prompts/get', params: { name: 'plan' }, asked: { name: 'plan', args: {} } },
  { method: 'resources/list' },
  { method: 'resources/templates/list' },
  { method: 'prompts/list' },
  { method: 'completion/complete', params: REF },
];
const mountedMethod = (method: string, params: Method['params'] = {}): Method => ({
  method,
  params,
  asked: { id: trackerTool(method), args: params, ...NO_META },
});
const MOUNTED: readonly Method[] = [
  {
    method: 'tools/call',
    params: { name: 'look', arguments: { a: 1 } },
    asked: { id: trackerTool('look'), args: { a: 1 }, ...NO_META },
  },
  mountedMethod('resources/list'),
  mountedMethod('resources/templates/list'),
  mountedMethod('resources/read', { uri: 'test://a' }),
  mountedMethod('prompts/list'),
  mountedMethod('prompts/get', { name: 'review' }),
  mountedMethod('completion/complete', REF),
];
const ADDRESSES = [
  ['/mcp', OWN, null],
  ['a mount', MOUNTED, 'tracker'],
] as const;

interface Sent {
  readonly era: Era;
  readonly server: string | null;
  readonly workspace?: string;
}
async function ask({ era, server, workspace = has.workspace_id }: Sent, { method, params }: Method, more: object) {
  const query = server === null ? '' : `&server=${server}`;
  const path = `${api.url}/mcp/${token}?workspace_id=${workspace}${query}`;
  const request = { method, params: { ...params, ...more }, capabilities: CAPABILITIES };
  return await messageOf(await (era === 'legacy' ? postLegacy : postModern)(path, tenant.agent, request));
}

const responses = {
  approval: { action: 'accept', content: {} },
  connect: { action: 'accept' },
  who: { action: 'accept', content: {} },
};
const unpadded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** All that a client can make itself of a state whose every member is right. */
function* forged(state: HeldState): Generator<unknown> {
  yield state;
  yield JSON.stringify(state);
  yield [state];
  yield { p: state, exp: Number.MAX_SAFE_INTEGER };
  yield unpadded(state);
  const body = unpadded({ p: state, exp: Math.floor(Date.now() / 1_000) + 60, b: 'A'.repeat(22) });
  yield `v1.${body}.${'A'.repeat(43)}`;
  yield `v1.${body}.`;
  for (const value of ['', 'garbage', 0, true, null, [], {}]) yield value;
}

/** A state as the endpoint seals it for the key and the token of these tests. */
async function sealed(state: HeldState): Promise<string> {
  const clientId = `${ID_KINDS.apiKey}_${tenant.agent.split('_')[1]!}`;
  const authInfo = { clientId, extra: { access: { tokenId: token } } };
  return await heldStates(TEST_CONFIG.webhookKey).mint(state, { http: { authInfo } } as never);
}
const stateOf = async ({ method, asked = {} }: Method, server: string | null, more: object): Promise<HeldState> => {
  const at = { workspaceId: has.workspace_id, server };
  return { operation_id: named, of: await digestOfAsked(askedAt(at, method, asked)), ...more };
};
/** What was read of the operation or the connection that a state names. */
const reads = () =>
  api.kernel.requests.filter(
    ({ verb, request }) => verb === 'mcp_connection.read' || request['operation_id'] === named,
  );
const proposals = (): number => api.kernel.requests.filter(({ verb }) => verb === 'admit').length;
const KINDS = [{}, { asks: true }, { connection: newId('connection') }] as const;
/** The methods that may be answered with a question. */
const ASKING = ['tools/call', 'resources/read', 'prompts/get'];

describe.each(ERAS)('with the revision %s', (era) => {
  describe.each(ADDRESSES)('at %s', (_address, own, server) => {
    const methods = [...own, ...both(era)];
    const table = methods.map((one) => [one.method, one] as const);

    it('each method that is served is in the table', async () => {
      const handle = vi.spyOn(Server.prototype, 'setRequestHandler');
      for (const one of methods) await ask({ era, server }, one, {});
      // A handler of the SDK that the revision has no method for can't be reached.
      const unreachable = era === 'legacy' ? ['server/discover'] : ['initialize', 'ping'];
      const known = [...methods.map(({ method }) => method), ...unreachable];
      const served = new Set<string>(handle.mock.calls.map(([method]) => method));
      expect([...served].filter((method) => !known.includes(method))).toEqual([]);
      expect(served.size).toBeGreaterThan(ASKING.length);
    });

    it.each(table)('%s reads no state that is not sealed', async (_method, one) => {
      for (const more of KINDS)
        for (const requestState of forged(await stateOf(one, server, more))) {
          api.kernel.requests.length = 0;
          const answer = await ask({ era, server }, one, { requestState, inputResponses: responses });
          const sent = JSON.stringify(requestState);
          expect([sent, reads()]).toEqual([sent, []]);
          expect(JSON.stringify(answer)).not.toContain(SECRET);
          if (one.asked !== undefined) expect([sent, answer.error?.code]).toEqual([sent, -32602]);
        }
    });

    it.each(table)('%s reads a sealed state where it may have asked, and nowhere else', async (method, one) => {
      const ofServer = server !== null && era !== 'legacy' ? { server: 'd'.repeat(64) } : {};
      for (const more of KINDS) {
        api.kernel.requests.length = 0;
        const requestState = await sealed(await stateOf(one, server, { ...more, ...ofServer }));
        await ask({ era, server }, one, { requestState, inputResponses: responses });
        expect(reads().length > 0).toBe(ASKING.includes(method));
      }
    });

    it.each(ASKING)('a state of %s is of its workspace', async (method) => {
      const one = own.find((known) => known.method === method)!;
      const elsewhere = { era, server, workspace: newId('workspace') };
      for (const more of KINDS) {
        api.kernel.requests.length = 0;
        const requestState = await sealed(await stateOf(one, server, more));
        const answer = await ask(elsewhere, one, { requestState, inputResponses: responses });
        expect([answer.error?.code, reads(), proposals()]).toEqual([-32602, [], 0]);
      }
    });
  });
});

it('a state of a tool is of the address where it was called, though both call the same tool', async () => {
  const call = { id: trackerTool('look'), args: { a: 1 }, ...NO_META };
  const of = { method: 'tools/call', asked: call };
  const names = { tracker: 'look', '/mcp': 'mcp_tracker_look' } as const;
  api.kernel.requests.length = 0;
  for (const [made, used] of [
    ['tracker', '/mcp'],
    ['/mcp', 'tracker'],
  ] as const) {
    const requestState = await sealed(await stateOf(of, made === '/mcp' ? null : made, {}));
    const params = { name: names[used], arguments: { a: 1 } };
    const sent = { era: 'auto', server: used === '/mcp' ? null : used } as const;
    const { error } = await ask(sent, { method: 'tools/call', params }, { requestState });
    expect([used, error?.code, reads(), proposals()]).toEqual([used, -32602, [], 0]);
  }
});
