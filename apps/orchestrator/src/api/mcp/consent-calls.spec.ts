// SPDX-License-Identifier: Apache-2.0
// The call after a consent: it is made once, and its request waits no longer than any. Over a fake kernel.
import { setTimeout as sleep } from 'node:timers/promises';
import type { McpRemoteTool, OperationView, ProposedCall } from '@writ/contract';
import { serverRequests } from '@writ/mcp-tool';
import { newId } from '@writ/nest-kit';
import { vi } from 'vitest';
import { mcpConnectionOf, viewOf } from '../../specs/fake-views.ts';
import { messageOf, postModern, type ModernRequest } from '../../specs/mcp-request.ts';
import { keepTracker, trackerTool } from '../../specs/mounted-server.ts';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { WAIT_MS, type CallContext, type CallToolParts } from './call-context.ts';
import { CallTool } from './call-tool.ts';
import { ConsentPages } from './consent-pages.ts';
import { digestOfAsked, type HeldState } from './held-state.ts';

const LOOK: McpRemoteTool = { name: 'look', inputSchema: { type: 'object' } };
const LISTED = [LOOK, ...serverRequests({ resources: {}, prompts: {}, completions: {} })];
const PAGES = { elicitation: { url: {} } };

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
let token: string;
let operations: OperationView[];
/** whether a refusal keeps its key: the kernel lets one keep it that waited before, and no other */
let keepsKey: boolean;
/** what becomes of each operation */
let ends: ('refused' | 'committed')[];

beforeAll(async () => {
  api = await openTestApi({ WRIT_PUBLIC_URL: 'https://writ.example.org' });
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
  token = keepTracker(api, tenant, has, LISTED);
  const link = () => ({ connection_id: newId('connection'), handle: 'h'.repeat(43), expires_at: Date.now() + 600_000 });
  api.kernel.handlers.set('mcp_connection.ask', link);
  api.kernel.handlers.set('mcp_connection.read', (_caller, { connection_id }) =>
    mcpConnectionOf(connection_id, 'connected'),
  );
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
  [operations, keepsKey, ends] = [[], false, ['refused', 'committed']];
  const claims = new Map<string | null, OperationView>();
  api.kernel.admits = (call) => {
    const before = claims.get(call.idempotency_key);
    if (before !== undefined) return { ...before, replayed: true };
    const view = endedAs(call, ends.shift() ?? 'committed');
    operations.push(view);
    if (view.state !== 'refused' || keepsKey) claims.set(call.idempotency_key, view);
    return view;
  };
});

function endedAs(call: ProposedCall, state: 'refused' | 'committed'): OperationView {
  const view = viewOf(call, state);
  const error = { code: 'mcp.consent_required', message: 'not connected', hint: null };
  const structured = { contents: [{ uri: 'test://a', text: 'a' }], messages: [] };
  const answer = { content: [], structured, is_error: false, truncated: false };
  const result = { ...view.result!, result_ref: null };
  return state === 'refused'
    ? { ...view, result: { ...result, status: 'error', error, result: null } }
    : { ...view, result: { ...result, status: 'ok', error: null, result: answer } };
}

const CALL = { name: 'look', arguments: { a: 1 } };
const KEY = { _meta: { 'writ.dev/idempotency-key': 'k1' } };
const REQUESTS: readonly (readonly [string, string, string, object])[] = [
  ['tools/call at a mount', '&server=tracker', 'tools/call', CALL],
  ['tools/call with a key of the client', '&server=tracker', 'tools/call', { ...CALL, ...KEY }],
  ['resources/read at a mount', '&server=tracker', 'resources/read', { uri: 'test://a' }],
  ['prompts/get at a mount', '&server=tracker', 'prompts/get', { name: 'review' }],
  ['tools/call at /mcp', '', 'tools/call', { name: 'mcp_tracker_look', arguments: { a: 1 } }],
  ['tools/call at /mcp with a key of the client', '', 'tools/call', { ...CALL, name: 'mcp_tracker_look', ...KEY }],
];

const ask = async (query: string, method: string, params: object, more: Partial<ModernRequest> = {}) => {
  const path = `${api.url}/mcp/${token}?workspace_id=${has.workspace_id}${query}`;
  const request = { method, params: { ...params }, capabilities: PAGES, ...more };
  return await messageOf(await postModern(path, tenant.admin, request));
};
const CONSENTED = { inputResponses: { connect: { action: 'accept' } } };

describe.each([
  ['that keeps no key', false],
  ['that keeps its key', true],
])('after a refusal %s', (_which, keeps) => {
  it.each(REQUESTS)('%s is made once, however often the client repeats it', async (_what, query, method, params) => {
    keepsKey = keeps;
    const first = await ask(query, method, params);
    expect(first.result).toMatchObject({ resultType: 'input_required', inputRequests: { connect: {} } });
    const again = { ...params, ...CONSENTED, requestState: first.result!['requestState'] };
    const answers = await Promise.all([ask(query, method, again), ask(query, method, again)]);
    answers.push(await ask(query, method, again));
    // The client's own key is that of the call, so the request without its state is the same as well.
    if ('_meta' in params && !keeps) answers.push(await ask(query, method, params));
    expect(operations.map(({ state }) => state)).toEqual(['refused', 'committed']);
    for (const { result } of answers) {
      expect(result).toMatchObject({ resultType: 'complete' });
      expect(JSON.stringify(result)).toContain(operations[1]!.operation_id);
    }
  });

  it('a call that is refused again has a page again, and is made anew after it', async () => {
    for (const params of [CALL, { ...CALL, ...KEY }]) {
      [keepsKey, operations, ends] = [keeps, [], ['refused', 'refused', 'committed']];
      let more: object = {};
      for (const expected of ['input_required', 'input_required', 'complete']) {
        const { result } = await ask('&server=tracker', 'tools/call', { ...params, ...more });
        expect(result?.['resultType']).toBe(expected);
        more = { requestState: result?.['requestState'], ...CONSENTED };
      }
      expect(operations).toHaveLength(3);
    }
  });
});

describe('a held call', () => {
  const BOTH = { capabilities: { elicitation: { url: {}, form: {} } } };
  const WAITS = { inputResponses: { approval: { action: 'accept' } } };
  const look = async (more: object, request: Partial<ModernRequest> = {}) =>
    await ask('&server=tracker', 'tools/call', { ...CALL, ...more }, { ...BOTH, ...request });
  const keep = (view: OperationView): OperationView =>
    api.kernel.keep(tenant.tenantId, view.operation_id, 'operation', view);
  const held = (call: ProposedCall): OperationView => keep({ ...viewOf(call, 'held'), result: null });

  it('whose consent is missing once it is approved has a page for the client that waits', async () => {
    const { admits } = api.kernel;
    let proposal: ProposedCall | undefined;
    api.kernel.admits = (call) => held((proposal = call));
    const requestState = (await look({})).result?.['requestState'];
    keep(endedAs(proposal!, 'refused'));
    const page = await look({ requestState, ...WAITS });
    expect(page.result).toMatchObject({ inputRequests: { connect: { params: { mode: 'url' } } } });
    [api.kernel.admits, ends] = [admits, ['committed']];
    const anew = await look({ requestState: page.result?.['requestState'], ...CONSENTED });
    expect(anew.result).toMatchObject({ resultType: 'complete' });
    expect(operations).toHaveLength(1);
  });

  it('that was made after a consent is not cancelled by closing the request that waits for it', async () => {
    const refused = await look({});
    api.kernel.admits = held;
    const asked = await look({ requestState: refused.result?.['requestState'], ...CONSENTED });
    expect(asked.result).toMatchObject({ inputRequests: { approval: {} } });
    // A request that answers nothing is asked again, and its state says as much.
    const again = await look({ requestState: asked.result?.['requestState'] });
    const before = api.kernel.requests.length;
    const stop = new AbortController();
    const waits = look({ requestState: again.result?.['requestState'], ...WAITS }, { signal: stop.signal });
    await vi.waitFor(() => expect(api.kernel.requests.length).toBeGreaterThan(before));
    // The call is followed a moment later, and a cancellation would come a moment after the request was closed.
    await sleep(200);
    stop.abort();
    await expect(waits).rejects.toThrow();
    await sleep(1_000);
    expect(api.kernel.requests.map(({ verb }) => verb)).not.toContain('operation.cancel');
  });
});

it.each([0, 10_000.4, 40_000, WAIT_MS, WAIT_MS + 5_000])(
  'a request that has waited %d ms for the consent waits for its call only as long as is left',
  async (waited) => {
    let clock = 1_000;
    const waits: number[] = [];
    await callAfterConsent(() => clock, {
      consents: { isGiven: async () => ((clock += waited), true), of: async () => null },
      propose: {
        run: async (_caller: unknown, _id: unknown, call: ProposedCall, { waitMs }: { readonly waitMs: number }) => {
          waits.push(waitMs);
          return viewOf(call, 'committed');
        },
      },
    });
    const [wait] = waits;
    expect(Number.isInteger(wait)).toBe(true);
    expect([wait! >= 0, wait! + Math.min(waited, WAIT_MS) <= WAIT_MS]).toEqual([true, true]);
  },
);

it.each([
  ['its time is over', 20_000, Infinity, 3],
  ['it is closed', 0, 2, 2],
])('a request whose calls were all refused before looks for no other once %s', async (_what, takes, closes, looks) => {
  let [clock, proposed] = [1_000, 0];
  const stop = new AbortController();
  const run = async (_caller: unknown, _id: unknown, call: ProposedCall): Promise<OperationView> => {
    clock += takes;
    proposed += 1;
    if (proposed >= closes) stop.abort();
    if (proposed > 9) throw new Error('the request goes on');
    return { ...endedAs(call, 'refused'), replayed: true };
  };
  const consents = { isGiven: async () => true, of: async () => null };
  await callAfterConsent(() => clock, { consents, propose: { run } }, stop.signal);
  expect(proposed).toBe(looks);
});

/** Makes the call that follows a consent, with these parts. */
async function callAfterConsent(
  monotonic: () => number,
  own: object,
  gone: AbortSignal = new AbortController().signal,
): Promise<void> {
  const caller = { tenant_id: tenant.tenantId, api_key_id: newId('apiKey'), agent_id: tenant.agentId };
  const state: HeldState = { operation_id: newId('operation'), of: '', connection: newId('connection') };
  const parts = {
    ...{ ...own, monotonic, queues: { verifyNotFull: () => undefined } },
    states: { verify: async () => ({ ...state, of: await digestOfAsked({}) }) },
    answerKey: (id: string) => id,
    show: { view: async (_caller: unknown, view: OperationView) => view },
  } as unknown as CallToolParts;
  const mcpReq = { requestState: () => 'sealed', inputResponses: { connect: { action: 'accept' } }, _meta: {} };
  const context = {
    access: { caller, agentId: tenant.agentId, tokenId: token, workspaceId: has.workspace_id, gone },
    ...{ request: { mcpReq }, asked: {}, isModern: true, asks: null, serverDigest: null, canTakeTasks: false },
    results: {
      of: async () => ({}),
      fault: (fault: Error) => {
        throw fault;
      },
    },
  } as unknown as CallContext;
  await new CallTool(parts).run(context, { name: trackerTool('look'), arguments: {} });
}

it('waiting for a consent ends in time when the kernel answers slowly', async () => {
  let [left, asked] = [5_000, 0];
  const kernel = {
    ask: async (_verb: string, _caller: unknown, { connection_id }: { readonly connection_id: string }) => {
      [left, asked] = [left - 4_990, asked + 1];
      return mcpConnectionOf(connection_id, 'asked');
    },
  };
  const pages = new ConsentPages(kernel as never, {} as never, Date.now);
  expect(await pages.isGiven({} as never, '', () => left, new AbortController().signal)).toBe(false);
  expect(asked).toBe(2);
});
