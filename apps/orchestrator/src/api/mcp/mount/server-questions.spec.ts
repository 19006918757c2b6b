// SPDX-License-Identifier: Apache-2.0
// Questions of a mounted server, over a fake kernel: what a client is asked, and what its answers become.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  MCP_INPUT,
  type McpAsk,
  type McpQuestion,
  type McpRemoteTool,
  type OperationView,
  type ProposedCall,
} from '@writ/contract';
import { acceptedTool, remoteDigest, serverRequests } from '@writ/mcp-tool';
import { newId } from '@writ/nest-kit';
import { vi } from 'vitest';
import { resourceOf, viewOf } from '../../../specs/fake-views.ts';
import { messageOf, postModern } from '../../../specs/mcp-request.ts';
import { createFixture, GRANT, type Fixture } from '../../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../../specs/test-api.ts';
import { askedOf } from './server-questions.ts';

const ASK: McpRemoteTool = { name: 'ask', inputSchema: { type: 'object' } };
const QUIET: McpRemoteTool = { name: 'quiet', inputSchema: { type: 'object' } };
const REQUESTS = serverRequests({ resources: {}, prompts: {} });
const localName = (name: string): string => name.replaceAll('/', '_');
const ASKS: readonly McpAsk[] = ['elicitation', 'sampling'];
const SCHEMA = { type: 'object', properties: { name: { type: 'string' } } };
const FORM = { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema: SCHEMA } };
const BEGINS = 'Question from the MCP server `tracker`: ';
/** The form as a client gets it. */
const SHOWN = { ...FORM, params: { ...FORM.params, message: `${BEGINS}Who?` } };
const ALL = { elicitation: { form: {} }, sampling: {}, roots: {} };

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
let token: string;
let other: string;
/** What the server of each proposed call answers. */
let answers: object[];

beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
  const { kernel } = api;
  const resource_id = newId('resource');
  const settings = { transport: 'http', url: 'https://mcp.example.org/mcp' };
  const resource = resourceOf(resource_id, { kind: 'mcp_server', name: 'tracker', settings });
  kernel.keep(tenant.tenantId, resource_id, 'resource', resource);
  for (const [tool, asks] of [
    [ASK, ASKS],
    [QUIET, undefined],
    ...REQUESTS.map((request) => [request, ASKS] as const),
  ] as const) {
    const accepted = acceptedTool(
      { name: 'tracker', digest: 'd'.repeat(64), asks },
      localName(tool.name),
      tool,
      'write',
    );
    const view = {
      tool: { ...accepted, version: 1 },
      definition_digest: '7'.repeat(64),
      applied_by: 's',
      applied_at: 1,
    };
    kernel.keep(tenant.tenantId, accepted.tool_id, 'tool', view);
  }
  kernel.handlers.set('mcp_server.find_tool', (_caller, { remote_name }) => {
    const found = [ASK, QUIET, ...REQUESTS].find((tool) => tool.name === remote_name);
    const tool_id = `mcp.tracker.${localName(found?.name ?? '')}`;
    return { tool: found === undefined ? null : { tool_id, digest: remoteDigest(found) } };
  });
  kernel.handlers.set('mcp_server.definitions', () => ({ items: [], rest: [] }));
  [token, other] = [newId('token'), newId('token')];
  const grant = { ...GRANT, tools: ['mcp.tracker.*'] };
  const kept = kernel.find({ tenant_id: tenant.tenantId } as never, has.capability_token_id) as object;
  for (const id of [token, other])
    kernel.keep(tenant.tenantId, id, 'token', { ...kept, capability_token_id: id, chain: [id], grant });
});
afterAll(() => api.close());
beforeEach(() => {
  const { kernel } = api;
  kernel.requests.length = 0;
  answers = [];
  kernel.admits = (call) => {
    const view = ended(call, answers.shift() ?? ANSWER);
    kernel.keep(tenant.tenantId, call.operation_id, 'operation', view);
    return view;
  };
});

const ANSWER = { content: [{ type: 'text', text: 'done' }], structured: null, is_error: false, truncated: false };
const question = (requests: McpQuestion['requests'] = { who: FORM }, state: string | null = 'state of the server') => ({
  ...ANSWER,
  content: [],
  asks: { requests, state },
});
const ended = (call: ProposedCall, result: object, over: Partial<OperationView> = {}): OperationView => {
  const view = viewOf(call, 'committed');
  return { ...view, result: { ...view.result!, status: 'ok', error: null, result, result_ref: null }, ...over };
};
const proposed = (): ProposedCall[] =>
  api.kernel.requests.filter(({ verb }) => verb === 'admit').map(({ request }) => request as unknown as ProposedCall);
const inputs = () => proposed().map(({ args }) => (args as Record<string, unknown>)[MCP_INPUT]);

interface Asked {
  readonly name?: string;
  readonly args?: object;
  readonly capabilities?: object;
  readonly state?: unknown;
  readonly responses?: object;
  readonly as?: string;
  readonly key?: string;
  readonly meta?: object;
  readonly signal?: AbortSignal;
}
const call = ({ name = 'ask', args = { a: 1 }, ...more }: Asked = {}) =>
  send('tools/call', { name, arguments: args }, more);
async function send(method: string, own: object, { capabilities = ALL, as = token, key, ...more }: Asked = {}) {
  const path = `${api.url}/mcp/${as}?workspace_id=${has.workspace_id}&server=tracker`;
  const params = {
    ...own,
    ...(more.state === undefined ? {} : { requestState: more.state }),
    ...(more.responses === undefined ? {} : { inputResponses: more.responses }),
    ...(more.meta === undefined ? {} : { _meta: more.meta }),
  };
  const request = { method, params, capabilities, signal: more.signal };
  return await messageOf(await postModern(path, key ?? tenant.agent, request));
}
/** Keys of calls that answer: nobody can make one from the id of an operation alone. */
const ANSWER_KEY = /^mcp-answer:[\w-]{43}$/;
const WHO = { who: { action: 'accept', content: { name: 'Ada' } } };
/** Asks once, and returns what the client is to send back. */
async function askedOnce(result: object = question()): Promise<unknown> {
  answers = [result];
  const { result: first } = await call();
  expect(first?.['resultType']).toBe('input_required');
  return first?.['requestState'];
}

describe('a question of a mounted server', () => {
  it('goes to the client, and its answers are arguments of a second call of the same tool', async () => {
    answers = [question()];
    const { result } = await call();
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { who: SHOWN } });
    expect(JSON.stringify(result)).not.toContain('state of the server');
    const second = await call({ state: result?.['requestState'], responses: { ...WHO, more: { action: 'accept' } } });
    expect(second.result).toMatchObject({ content: ANSWER.content });
    const [first, answer] = proposed();
    expect(first).toMatchObject({ tool_id: 'mcp.tracker.ask', args: { a: 1, [MCP_INPUT]: { capabilities: ASKS } } });
    expect(answer).toMatchObject({
      tool_id: 'mcp.tracker.ask',
      idempotency_key: expect.stringMatching(ANSWER_KEY),
      args: { a: 1, [MCP_INPUT]: { capabilities: ASKS, responses: WHO, state: 'state of the server' } },
    });
    expect(inputs()[1]).toEqual({ capabilities: ASKS, responses: WHO, state: 'state of the server' });
  });

  it('names the server to the person whom it asks, and to no model', async () => {
    const PAGE = {
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Sign in', url: 'https://a.example' },
    };
    const ofWrit = {
      ...FORM,
      params: { ...FORM.params, message: 'The MCP server `other` acts under your own rights' },
    };
    const MODEL = { method: 'sampling/createMessage', params: { messages: [], systemPrompt: 'x', maxTokens: 1 } };
    const FOLDERS = { method: 'roots/list', params: {} };
    answers = [question({ who: FORM, connect: ofWrit, MODEL })];
    expect((await call()).result?.['inputRequests']).toEqual({
      who: SHOWN,
      connect: { ...ofWrit, params: { ...ofWrit.params, message: `${BEGINS}${ofWrit.params.message}` } },
      MODEL,
    });
    const view = { tool_id: 'mcp.tracker.ask' };
    expect(askedOf(view, { requests: { PAGE, FOLDERS }, state: null }, 's').inputRequests).toEqual({
      PAGE: { ...PAGE, params: { ...PAGE.params, message: `${BEGINS}Sign in` } },
      FOLDERS,
    });
  });

  it.each(['', '/*', '/asks/state', '/structured/email', '/content'])(
    'is asked of nobody where a rule redacts `%s` of the result, though it can be read',
    async (pointer) => {
      api.kernel.admits = (proposal) => {
        const view = ended(proposal, question(), { redactions: [{ rule: 'r', pointers: [pointer] }] });
        api.kernel.keep(tenant.tenantId, proposal.operation_id, 'operation', view);
        return view;
      };
      const { result } = await call();
      expect(result).toMatchObject({ isError: true });
      expect(result).not.toHaveProperty('inputRequests');
    },
  );

  it('may be followed by others, each of which names the operation before', async () => {
    const state = await askedOnce();
    answers = [question({ who: FORM }, 'second state')];
    const again = await call({ state, responses: WHO });
    await call({ state: again.result?.['requestState'], responses: WHO });
    await call({ state: again.result?.['requestState'], responses: WHO });
    const keys = proposed().map(({ idempotency_key }) => idempotency_key);
    expect(keys[3]).toBe(keys[2]);
    expect(new Set(keys).size).toBe(3);
    expect(keys.slice(1)).toEqual(Array(3).fill(expect.stringMatching(ANSWER_KEY)));
    expect(inputs()[2]).toMatchObject({ state: 'second state' });
  });

  it('reaches the official client, which answers it by itself', async () => {
    answers = [
      question({ who: FORM, model: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } }),
    ];
    const client = new Client({ name: 's', version: '1' }, { versionNegotiation: { mode: 'auto' }, capabilities: ALL });
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    client.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'hi' },
    }));
    const url = new URL(`${api.url}/mcp/${token}?workspace_id=${has.workspace_id}&server=tracker`);
    const headers = { authorization: `Bearer ${tenant.agent}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    expect(await client.callTool({ name: 'ask', arguments: {} })).toMatchObject({ content: ANSWER.content });
    expect(inputs()[1]).toMatchObject({ responses: { who: { action: 'decline' }, model: { model: 'm' } } });
    await client.close();
  });

  it('without requests is another try, with the state of the server alone', async () => {
    const state = await askedOnce(question({}, 'later'));
    await call({ state });
    expect(inputs()[1]).toEqual({ capabilities: ASKS, state: 'later' });
  });

  it('that a client answers before it is asked has the answers as arguments, where the server may ask', async () => {
    await call({ responses: { ...WHO, approval: { action: 'accept' } } });
    await call({ name: 'quiet', responses: WHO });
    expect(inputs()).toEqual([
      { capabilities: ASKS, responses: { ...WHO, approval: { action: 'accept' } } },
      undefined,
    ]);
  });

  it('that is not answered whole is asked again, and nothing is proposed', async () => {
    const state = await askedOnce();
    for (const responses of [undefined, {}, { other: { action: 'accept' } }, { approval: { action: 'accept' } }]) {
      const { result } = await call({ state, ...(responses === undefined ? {} : { responses }) });
      expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { who: SHOWN } });
    }
    expect(proposed()).toHaveLength(1);
  });

  it('keeps the key of its client for the first call alone', async () => {
    answers = [question()];
    const meta = { 'writ.dev/idempotency-key': 'mine' };
    const { result } = await call({ meta });
    await call({ meta, state: result?.['requestState'], responses: WHO });
    const [first, second] = proposed();
    expect([first?.idempotency_key, second?.idempotency_key]).toEqual(['mine', expect.stringMatching(ANSWER_KEY)]);
    expect(second?.idempotency_key).not.toContain(first!.operation_id);
  });

  it('reaches a client that takes tasks, too, however long the call took', async () => {
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    api.kernel.admits = (proposal) => {
      setTimeout(() => keep(ended(proposal, question())), 700);
      return keep(running(proposal));
    };
    const { result } = await call({ capabilities: { ...ALL, extensions } });
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { who: SHOWN } });
    // A server that may ask for nothing loses no question.
    const other = await call({ name: 'quiet', capabilities: { ...ALL, extensions } });
    expect(other.result).toMatchObject({ resultType: 'task' });
  });
});

const keep = (view: OperationView): OperationView => {
  api.kernel.keep(tenant.tenantId, view.operation_id, 'operation', view);
  return view;
};
const running = (proposal: ProposedCall, state: 'performing' | 'held' = 'performing'): OperationView => ({
  ...viewOf(proposal, state),
  result: null,
});

describe('an answer', () => {
  it.each(['performing', 'held'] as const)(
    'whose connection breaks while its call is %s has the same end when it is sent again',
    async (as) => {
      let state = await askedOnce();
      let responses: object = WHO;
      api.kernel.admits = (proposal) => keep(running(proposal, as));
      if (as === 'held') {
        state = (await call({ state, responses })).result?.['requestState'];
        responses = { approval: { action: 'accept' } };
      }
      const before = api.kernel.requests.length;
      const stop = new AbortController();
      const broken = call({ state, responses, signal: stop.signal });
      await vi.waitFor(() => expect(api.kernel.requests.length).toBeGreaterThan(before));
      // The call is followed a moment later, and a cancellation would come a moment after the connection broke.
      await new Promise((resolve) => setTimeout(resolve, 200));
      stop.abort();
      await expect(broken).rejects.toThrow();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(api.kernel.requests.map(({ verb }) => verb)).not.toContain('operation.cancel');
      const [, second] = proposed();
      const end = keep(ended(second!, ANSWER));
      api.kernel.admits = () => ({ ...end, replayed: true });
      const again = await call({ state, responses });
      expect(again.result).toMatchObject({ content: ANSWER.content });
      expect(
        new Set(
          proposed()
            .slice(1)
            .map(({ idempotency_key }) => idempotency_key),
        ).size,
      ).toBe(1);
    },
  );

  it.each<[string, Partial<Asked>]>([
    ['other arguments', { args: { a: 2 } }],
    ['another tool', { name: 'quiet' }],
    ['another token', { as: 'other' }],
    ['another word about the call', { meta: { 'writ.dev/dry-run': true } }],
    ['a state that was changed', { state: 'changed' }],
    ['a state that nobody sealed', { state: 'bm90aGluZw' }],
  ])('with %s is rejected, and nothing is proposed', async (_what, over) => {
    const state = String(await askedOnce());
    const given = over.state === 'changed' ? `${state.slice(0, -2)}xx` : (over.state ?? state);
    const as = over.as === undefined ? token : other;
    const { error, result } = await call({ responses: WHO, ...over, state: given, as });
    expect([error?.code, result]).toEqual([-32602, undefined]);
    expect(proposed()).toHaveLength(1);
  });

  it('is no approval: what waits for a person goes on waiting', async () => {
    const state = await askedOnce();
    api.kernel.admits = (proposal) => {
      const view = { ...viewOf(proposal, 'held'), result: null };
      api.kernel.keep(tenant.tenantId, proposal.operation_id, 'operation', view);
      return view;
    };
    const held = await call({ state, responses: WHO });
    expect(held.result).toMatchObject({ resultType: 'input_required', inputRequests: { approval: {} } });
    expect(JSON.stringify(held.result?.['inputRequests'])).not.toContain('Question from');
    const [, second] = proposed();
    const declined = { approval: { action: 'decline' } };
    const still = await call({ state: held.result?.['requestState'], responses: { ...WHO, ...declined } });
    expect(still.result).toMatchObject({ isError: true, _meta: { 'writ.dev/operation': { state: 'held' } } });
    // Once it was approved and has run, its server may ask again.
    api.kernel.keep(
      tenant.tenantId,
      second!.operation_id,
      'operation',
      ended(second!, question({ who: FORM }, 'next')),
    );
    const accepted = { approval: { action: 'accept' } };
    const next = await call({ state: held.result?.['requestState'], responses: accepted });
    expect(next.result).toMatchObject({ resultType: 'input_required', inputRequests: { who: SHOWN } });
    expect(api.kernel.requests.filter(({ verb }) => verb.startsWith('approval'))).toEqual([]);
    expect(proposed()).toHaveLength(2);
  });

  it('to a question that was erased, or that a rule redacts, is an error in clear words', async () => {
    const state = await askedOnce();
    const [first] = proposed();
    for (const over of [
      ended(first!, ANSWER),
      ended(first!, question(), { redactions: [{ rule: 'r', pointers: ['/structured/email'] }] }),
      { ...ended(first!, ANSWER), result: null },
    ]) {
      api.kernel.keep(tenant.tenantId, first!.operation_id, 'operation', over);
      const { result } = await call({ state, responses: WHO });
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/question.*call the tool anew/s) }],
      });
    }
    expect(proposed()).toHaveLength(1);
  });
});

describe('a server is told of no capability', () => {
  it.each<[string, Asked, unknown]>([
    ['where it may ask for nothing', { name: 'quiet' }, undefined],
    ['that the client does not declare', { capabilities: { roots: {} } }, undefined],
    ['but what both sides have', { capabilities: { sampling: {}, roots: {} } }, { capabilities: ['sampling'] }],
    ['for forms where the client has pages alone', { capabilities: { elicitation: { url: {} } } }, undefined],
    [
      'but forms where the client says no more',
      { capabilities: { elicitation: {} } },
      { capabilities: ['elicitation'] },
    ],
  ])('%s', async (_when, asked, expected) => {
    await call(asked);
    expect(inputs()).toEqual([expected]);
  });

  it('by a client, which has no argument for it', async () => {
    const { error } = await call({ args: { [MCP_INPUT]: { capabilities: ['elicitation'], state: 'mine' } } });
    expect([error?.code, proposed().length]).toEqual([-32602, 0]);
  });

  it('and a question that the client did not declare is an error, as in `operations_wait`', async () => {
    answers = [question()];
    const { result } = await call({ capabilities: { sampling: {} } });
    const says = { isError: true, content: [{ text: expect.stringContaining('asks its client') }] };
    expect(result).toMatchObject(says);
    const [{ operation_id } = { operation_id: '' }] = proposed();
    expect((await call({ name: 'operations_wait', args: { operation_id } })).result).toMatchObject(says);
  });

  it('on `/mcp`, where a question is a part of the result', async () => {
    answers = [question()];
    const path = `${api.url}/mcp/${token}?workspace_id=${has.workspace_id}`;
    const params = { name: 'mcp_tracker_ask', arguments: { [MCP_INPUT]: { capabilities: ASKS } } };
    const answer = await postModern(path, tenant.agent, { method: 'tools/call', params, capabilities: ALL });
    const { result } = await messageOf(answer);
    expect(result).toMatchObject({ structuredContent: { result: { asks: { state: 'state of the server' } } } });
  });
});

describe.each([
  ['resources/read', { uri: 'test://a' }, { uri: 'test://b' }, { contents: [{ uri: 'test://a', text: 'a plan' }] }],
  ['prompts/get', { name: 'review', arguments: { a: '1' } }, { name: 'review' }, { messages: [] }],
])('a server that asks in answer to %s', (method, own, another, reply) => {
  const id = `mcp.tracker.${localName(method)}`;
  const answer = { ...ANSWER, content: [], structured: reply };

  it('asks the client, whose answers are arguments of a second call of the same request', async () => {
    answers = [question(), question({ who: FORM }, 'second state'), answer];
    const first = await send(method, own);
    expect(first.result).toMatchObject({ resultType: 'input_required', inputRequests: { who: SHOWN } });
    expect(JSON.stringify(first)).not.toContain('state of the server');
    const second = await send(method, own, { state: first.result?.['requestState'], responses: WHO });
    expect(second.result).toMatchObject({ resultType: 'input_required' });
    const third = await send(method, own, { state: second.result?.['requestState'], responses: WHO });
    expect(third.result).toMatchObject({ resultType: 'complete', ...reply });
    const calls = proposed();
    expect(calls.map(({ tool_id }) => tool_id)).toEqual([id, id, id]);
    expect(calls.map(({ args }) => args)).toEqual([
      { ...own, [MCP_INPUT]: { capabilities: ASKS } },
      { ...own, [MCP_INPUT]: { capabilities: ASKS, responses: WHO, state: 'state of the server' } },
      { ...own, [MCP_INPUT]: { capabilities: ASKS, responses: WHO, state: 'second state' } },
    ]);
    const keys = calls.slice(1).map(({ idempotency_key }) => idempotency_key);
    expect([new Set(keys).size, keys.every((key) => ANSWER_KEY.test(key ?? ''))]).toEqual([2, true]);
  });

  it('gets no answer to another request, under another token, or with a state that was changed', async () => {
    answers = [question()];
    const state = String((await send(method, own)).result?.['requestState']);
    const sent = { state, responses: WHO };
    const rejected = [
      await send(method, another, sent),
      await call({ ...sent }),
      await send(method, own, { ...sent, as: other }),
      await send(method, own, { ...sent, state: `${state.slice(0, -2)}xx` }),
    ];
    expect(rejected.map(({ error }) => error?.code)).toEqual([-32602, -32602, -32602, -32602]);
    expect(proposed()).toHaveLength(1);
  });

  it('is told of what both sides have, and asks nobody else', async () => {
    answers = [question(), answer];
    const failed = await send(method, own, { capabilities: { sampling: {}, roots: {} } });
    expect(failed.error).toMatchObject({ code: -32602, message: expect.stringContaining('asks its client') });
    await send(method, { ...own, [MCP_INPUT]: { capabilities: ['roots'] } }, { capabilities: {} });
    expect(inputs()).toEqual([{ capabilities: ['sampling'] }, undefined]);
  });

  it('may ask once a person has approved the call, and no answer approves it', async () => {
    const { kernel } = api;
    kernel.admits = (proposal) => {
      const view = { ...viewOf(proposal, 'held'), result: null };
      kernel.keep(tenant.tenantId, proposal.operation_id, 'operation', view);
      return view;
    };
    const held = await send(method, own);
    expect(held.result).toMatchObject({ inputRequests: { approval: {} } });
    const [first] = proposed();
    kernel.keep(tenant.tenantId, first!.operation_id, 'operation', ended(first!, question()));
    const accepted = { approval: { action: 'accept' } };
    const asked = await send(method, own, { state: held.result?.['requestState'], responses: accepted });
    expect(asked.result).toMatchObject({ inputRequests: { who: SHOWN } });
    const again = await send(method, own, {
      state: asked.result?.['requestState'],
      responses: { ...WHO, ...accepted },
    });
    expect(again.result).toMatchObject({ inputRequests: { approval: {} } });
    expect(inputs()[1]).toMatchObject({ responses: WHO });
    expect(kernel.requests.filter(({ verb }) => verb.startsWith('approval'))).toEqual([]);
  });
});

it('a list is never answered with a question, and its server is told of no capability', async () => {
  answers = [question()];
  const { error, result } = await send('prompts/list', {});
  expect([error?.code, result, inputs()]).toEqual([-32602, undefined, [undefined]]);
});
