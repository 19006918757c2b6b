// SPDX-License-Identifier: Apache-2.0
// Questions of tools of a mounted server, over a fake kernel: what a client is asked, and what its answers become.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { MCP_INPUT, type OperationView, type ProposedCall } from '@writ/contract';
import { vi } from 'vitest';
import {
  ALL,
  ANSWER,
  ANSWER_KEY,
  AskingServer,
  ASKS,
  BEGINS,
  ended,
  FORM,
  question,
  SHOWN,
  WHO,
  type Sent,
} from '../../../specs/asking-server.ts';
import { viewOf } from '../../../specs/fake-views.ts';
import { messageOf, postModern } from '../../../specs/mcp-request.ts';
import { askedOf } from './server-questions.ts';

type Asked = Sent & { readonly name?: string; readonly args?: object };

let server: AskingServer;
beforeAll(async () => {
  server = await AskingServer.open();
});
afterAll(() => server.api.close());
beforeEach(() => server.reset());

/** Asks once, and returns what the client is to send back. */
async function askedOnce(result: object = question()): Promise<unknown> {
  server.answers = [result];
  const { result: first } = await server.call();
  expect(first?.['resultType']).toBe('input_required');
  return first?.['requestState'];
}

describe('a question of a mounted server', () => {
  it('goes to the client, and its answers are arguments of a second call of the same tool', async () => {
    server.answers = [question()];
    const { result } = await server.call();
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { who: SHOWN } });
    expect(JSON.stringify(result)).not.toContain('state of the server');
    const second = await server.call({
      state: result?.['requestState'],
      responses: { ...WHO, more: { action: 'accept' } },
    });
    expect(second.result).toMatchObject({ content: ANSWER.content });
    const [first, answer] = server.proposed();
    expect(first).toMatchObject({ tool_id: 'mcp.tracker.ask', args: { a: 1, [MCP_INPUT]: { capabilities: ASKS } } });
    expect(answer).toMatchObject({
      tool_id: 'mcp.tracker.ask',
      idempotency_key: expect.stringMatching(ANSWER_KEY),
      args: { a: 1, [MCP_INPUT]: { capabilities: ASKS, responses: WHO, state: 'state of the server' } },
    });
    expect(server.inputs()[1]).toEqual({ capabilities: ASKS, responses: WHO, state: 'state of the server' });
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
    server.answers = [question({ who: FORM, connect: ofWrit, MODEL })];
    expect((await server.call()).result?.['inputRequests']).toEqual({
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
      server.api.kernel.admits = (proposal) => {
        const view = ended(proposal, question(), { redactions: [{ rule: 'r', pointers: [pointer] }] });
        server.api.kernel.keep(server.tenant.tenantId, proposal.operation_id, 'operation', view);
        return view;
      };
      const { result } = await server.call();
      expect(result).toMatchObject({ isError: true });
      expect(result).not.toHaveProperty('inputRequests');
    },
  );

  it('may be followed by others, each of which names the operation before', async () => {
    const state = await askedOnce();
    server.answers = [question({ who: FORM }, 'second state')];
    const again = await server.call({ state, responses: WHO });
    await server.call({ state: again.result?.['requestState'], responses: WHO });
    await server.call({ state: again.result?.['requestState'], responses: WHO });
    const keys = server.proposed().map(({ idempotency_key }) => idempotency_key);
    expect(keys[3]).toBe(keys[2]);
    expect(new Set(keys).size).toBe(3);
    expect(keys.slice(1)).toEqual(Array(3).fill(expect.stringMatching(ANSWER_KEY)));
    expect(server.inputs()[2]).toMatchObject({ state: 'second state' });
  });

  it('reaches the official client, which answers it by itself', async () => {
    server.answers = [
      question({ who: FORM, model: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } }),
    ];
    const client = new Client({ name: 's', version: '1' }, { versionNegotiation: { mode: 'auto' }, capabilities: ALL });
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    client.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'hi' },
    }));
    const url = new URL(`${server.api.url}/mcp/${server.token}?workspace_id=${server.has.workspace_id}&server=tracker`);
    const headers = { authorization: `Bearer ${server.tenant.agent}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    expect(await client.callTool({ name: 'ask', arguments: {} })).toMatchObject({ content: ANSWER.content });
    expect(server.inputs()[1]).toMatchObject({ responses: { who: { action: 'decline' }, model: { model: 'm' } } });
    await client.close();
  });

  it('without requests is another try, with the state of the server alone', async () => {
    const state = await askedOnce(question({}, 'later'));
    await server.call({ state });
    expect(server.inputs()[1]).toEqual({ capabilities: ASKS, state: 'later' });
  });

  it('that a client answers before it is asked has the answers as arguments, where the server may ask', async () => {
    await server.call({ responses: { ...WHO, approval: { action: 'accept' } } });
    await server.call({ name: 'quiet', responses: WHO });
    expect(server.inputs()).toEqual([
      { capabilities: ASKS, responses: { ...WHO, approval: { action: 'accept' } } },
      undefined,
    ]);
  });

  it('that is not answered whole is asked again, and nothing is proposed', async () => {
    const state = await askedOnce();
    for (const responses of [undefined, {}, { other: { action: 'accept' } }, { approval: { action: 'accept' } }]) {
      const { result } = await server.call({ state, ...(responses === undefined ? {} : { responses }) });
      expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { who: SHOWN } });
    }
    expect(server.proposed()).toHaveLength(1);
  });

  it('keeps the key of its client for the first call alone', async () => {
    server.answers = [question()];
    const meta = { 'writ.dev/idempotency-key': 'mine' };
    const { result } = await server.call({ meta });
    await server.call({ meta, state: result?.['requestState'], responses: WHO });
    const [first, second] = server.proposed();
    expect([first?.idempotency_key, second?.idempotency_key]).toEqual(['mine', expect.stringMatching(ANSWER_KEY)]);
    expect(second?.idempotency_key).not.toContain(first!.operation_id);
  });

  it('reaches a client that takes tasks, too, however long the call took', async () => {
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    server.api.kernel.admits = (proposal) => {
      setTimeout(() => server.keep(ended(proposal, question())), 700);
      return server.keep(running(proposal));
    };
    const { result } = await server.call({ capabilities: { ...ALL, extensions } });
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { who: SHOWN } });
    // A server that may ask for nothing loses no question.
    const other = await server.call({ name: 'quiet', capabilities: { ...ALL, extensions } });
    expect(other.result).toMatchObject({ resultType: 'task' });
  });
});

const running = (proposal: ProposedCall, state: 'performing' | 'held' = 'performing'): OperationView => ({
  ...viewOf(proposal, state),
  result: null,
});

describe('an answer', () => {
  it.each(['performing', 'held'] as const)(
    'whose access breaks while its call is %s has the same end when it is sent again',
    async (as) => {
      let state = await askedOnce();
      let responses: object = WHO;
      server.api.kernel.admits = (proposal) => server.keep(running(proposal, as));
      if (as === 'held') {
        state = (await server.call({ state, responses })).result?.['requestState'];
        responses = { approval: { action: 'accept' } };
      }
      const before = server.api.kernel.requests.length;
      const stop = new AbortController();
      const broken = server.call({ state, responses, signal: stop.signal });
      await vi.waitFor(() => expect(server.api.kernel.requests.length).toBeGreaterThan(before));
      // The call is followed a moment later, and a cancellation would come a moment after the connection broke.
      await new Promise((resolve) => setTimeout(resolve, 200));
      stop.abort();
      await expect(broken).rejects.toThrow();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(server.api.kernel.requests.map(({ verb }) => verb)).not.toContain('operation.cancel');
      const [, second] = server.proposed();
      const end = server.keep(ended(second!, ANSWER));
      server.api.kernel.admits = () => ({ ...end, replayed: true });
      const again = await server.call({ state, responses });
      expect(again.result).toMatchObject({ content: ANSWER.content });
      expect(
        new Set(
          server
            .proposed()
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
    const as = over.as === undefined ? server.token : server.other;
    const { error, result } = await server.call({ responses: WHO, ...over, state: given, as });
    expect([error?.code, result]).toEqual([-32602, undefined]);
    expect(server.proposed()).toHaveLength(1);
  });

  describe('to a server whose settings have changed', () => {
    afterEach(() => server.changeSettings('d'.repeat(64)));
    const GONE = { isError: true, content: [{ text: expect.stringContaining('its server has changed') }] };

    it('is an error, and nothing is proposed', async () => {
      const state = await askedOnce();
      server.changeSettings('e'.repeat(64));
      for (const capabilities of [ALL, {}])
        expect((await server.call({ state, responses: WHO, capabilities })).result).toMatchObject(GONE);
      expect(server.proposed()).toHaveLength(1);
    });

    it('is an error as well where the call was held while they changed', async () => {
      server.hold();
      const held = await server.call();
      server.changeSettings('e'.repeat(64));
      server.keep(ended(server.proposed()[0]!, question()));
      const responses = { approval: { action: 'accept' } };
      const asked = await server.call({ state: held.result?.['requestState'], responses });
      expect(asked.result).toMatchObject({ resultType: 'input_required', inputRequests: { who: SHOWN } });
      const { result } = await server.call({ state: asked.result?.['requestState'], responses: WHO });
      expect(result).toMatchObject(GONE);
      expect(server.proposed()).toHaveLength(1);
    });
  });

  it('is no approval: what waits for a person goes on waiting', async () => {
    const state = await askedOnce();
    server.hold();
    const held = await server.call({ state, responses: WHO });
    expect(held.result).toMatchObject({ resultType: 'input_required', inputRequests: { approval: {} } });
    expect(JSON.stringify(held.result?.['inputRequests'])).not.toContain('Question from');
    const [, second] = server.proposed();
    const declined = { approval: { action: 'decline' } };
    const still = await server.call({ state: held.result?.['requestState'], responses: { ...WHO, ...declined } });
    expect(still.result).toMatchObject({ isError: true, _meta: { 'writ.dev/operation': { state: 'held' } } });
    // Once it was approved and has run, its server may ask again.
    server.api.kernel.keep(
      server.tenant.tenantId,
      second!.operation_id,
      'operation',
      ended(second!, question({ who: FORM }, 'next')),
    );
    const accepted = { approval: { action: 'accept' } };
    const next = await server.call({ state: held.result?.['requestState'], responses: accepted });
    expect(next.result).toMatchObject({ resultType: 'input_required', inputRequests: { who: SHOWN } });
    expect(server.api.kernel.requests.filter(({ verb }) => verb.startsWith('approval'))).toEqual([]);
    expect(server.proposed()).toHaveLength(2);
  });

  it('to a question that was erased, or that a rule redacts, is an error in clear words', async () => {
    const state = await askedOnce();
    const [first] = server.proposed();
    for (const over of [
      ended(first!, ANSWER),
      ended(first!, question(), { redactions: [{ rule: 'r', pointers: ['/structured/email'] }] }),
      { ...ended(first!, ANSWER), result: null },
    ]) {
      server.api.kernel.keep(server.tenant.tenantId, first!.operation_id, 'operation', over);
      const { result } = await server.call({ state, responses: WHO });
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/question.*send the request anew/s) }],
      });
    }
    expect(server.proposed()).toHaveLength(1);
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
    await server.call(asked);
    expect(server.inputs()).toEqual([expected]);
  });

  it('by a client, which has no argument for it', async () => {
    const { error } = await server.call({ args: { [MCP_INPUT]: { capabilities: ['elicitation'], state: 'mine' } } });
    expect([error?.code, server.proposed().length]).toEqual([-32602, 0]);
  });

  it('and a question that the client did not declare is an error, as in `operations_wait`', async () => {
    server.answers = [question()];
    const { result } = await server.call({ capabilities: { sampling: {} } });
    const says = { isError: true, content: [{ text: expect.stringContaining('asks its client') }] };
    expect(result).toMatchObject(says);
    const [{ operation_id } = { operation_id: '' }] = server.proposed();
    expect((await server.call({ name: 'operations_wait', args: { operation_id } })).result).toMatchObject(says);
  });

  it('on `/mcp`, where a question is a part of the result', async () => {
    server.answers = [question()];
    const path = `${server.api.url}/mcp/${server.token}?workspace_id=${server.has.workspace_id}`;
    const params = { name: 'mcp_tracker_ask', arguments: { [MCP_INPUT]: { capabilities: ASKS } } };
    const answer = await postModern(path, server.tenant.agent, { method: 'tools/call', params, capabilities: ALL });
    const { result } = await messageOf(answer);
    expect(result).toMatchObject({ structuredContent: { result: { asks: { state: 'state of the server' } } } });
  });
});
