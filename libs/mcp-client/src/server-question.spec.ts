// SPDX-License-Identifier: Apache-2.0
//
// Servers of the official SDK that ask in the place of an answer, and servers that ask for what was not declared.
import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { MCP_ASKS, type McpInput } from '@writ/contract';
import { remoteDigest } from '@writ/mcp-tool';
import { callRemoteTool } from './call-tool.ts';
import { askingAnswer, capabilitiesOf } from './server-question.ts';
import { Loopback } from './specs/loopback.ts';
import { ADD, Upstream } from './specs/upstream.ts';
import type { CallWork } from './session-work.ts';

const ALL: McpInput = { capabilities: MCP_ASKS };
const FORM = { message: 'Which?', requestedSchema: { type: 'object', properties: { which: { type: 'string' } } } };

async function call(loopback: Loopback, work: Partial<CallWork> = {}) {
  const relay = loopback.relay();
  const usual = {
    timeoutMs: 20_000,
    isLegacy: false,
    methods: [],
    name: 'add',
    digest: remoteDigest(ADD),
    known: null,
  };
  try {
    const whole = { ...usual, port: relay.port, args: { a: 1 }, output: ADD.outputSchema ?? null, ...work };
    return await callRemoteTool(whole, (text) => text);
  } finally {
    relay.close();
  }
}

describe('a server of the official SDK that asks', () => {
  const TOOL = { name: 'ask', inputSchema: { type: 'object' } };
  let loopback: Loopback;
  afterEach(() => loopback.close());

  /** @param seen what the server received of the client's side of a question */
  async function asking(seen: unknown[]): Promise<Partial<CallWork>> {
    const handler = createMcpHandler(() => {
      const made = new McpServer({ name: 'asks', version: '1' });
      made.registerTool(
        'ask',
        { inputSchema: fromJsonSchema<Record<string, unknown>>(TOOL.inputSchema) },
        (_a, { mcpReq }) => {
          seen.push({ responses: mcpReq.inputResponses, state: mcpReq.requestState() });
          return mcpReq.inputResponses === undefined
            ? inputRequired({
                inputRequests: { which: inputRequired.elicit(FORM as never), roots: inputRequired.listRoots() },
                requestState: 'kept',
              })
            : { content: [{ type: 'text', text: JSON.stringify(mcpReq.inputResponses) }] };
        },
      );
      return made;
    });
    loopback = await Loopback.open(async ({ body, httpMethod, headers }, response) => {
      const answer = await handler.fetch(
        new Request('http://localhost/mcp', { method: httpMethod, headers: headers as never, body }),
      );
      response
        .writeHead(answer.status, Object.fromEntries(answer.headers))
        .end(Buffer.from(await answer.arrayBuffer()));
    });
    const relay = loopback.relay();
    const { listRemoteTools } = await import('./list-tools.ts');
    const done = await listRemoteTools({ port: relay.port, timeoutMs: 20_000, isLegacy: false, methods: [] }, (t) => t);
    relay.close();
    const [tool] = 'value' in done ? done.value.tools : [];
    return { name: 'ask', digest: remoteDigest(tool!), output: null };
  }

  it('is answered with what the client said, and with its own state', async () => {
    const seen: unknown[] = [];
    const work = await asking(seen);
    expect(await call(loopback, { ...work, input: ALL })).toMatchObject({
      value: {
        answer: {
          content: [],
          structured: null,
          is_error: false,
          asks: {
            requests: {
              which: { method: 'elicitation/create', params: { mode: 'form', ...FORM } },
              roots: { method: 'roots/list', params: {} },
            },
            state: 'kept',
          },
        },
      },
    });
    const responses = { which: { action: 'accept', content: { which: 'x' } }, roots: { roots: [] } };
    const done = await call(loopback, { ...work, input: { ...ALL, responses, state: 'kept' } });
    expect(done).toMatchObject({ value: { answer: { content: [{ text: JSON.stringify(responses) }] } } });
    expect(seen.at(-1)).toEqual({ responses, state: 'kept' });
    expect(
      loopback.received.filter(({ method }) => method === 'tools/call').map(({ params }) => params['arguments']),
    ).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it('gets no answer where the call declares nothing, or less than it asks for', async () => {
    const work = await asking([]);
    for (const input of [undefined, { capabilities: [] }, { capabilities: ['sampling' as const] }])
      expect(await call(loopback, { ...work, ...(input === undefined ? {} : { input }) })).toMatchObject({
        failed: { reason: 'unsupported' },
      });
  });
});

describe('a server that asks', () => {
  let server: Upstream;
  afterEach(() => server.loopback.close());

  async function asked(reply: Record<string, unknown>, input: McpInput | null = ALL, isLegacy = false) {
    server = await Upstream.open({ isLegacy });
    const result = { resultType: 'input_required', ...reply };
    server.answers = { 'tools/call': (received, response) => server.result(received, response, result) };
    return await call(server.loopback, input === null ? {} : { input });
  }
  const form = (params: object) => ({ inputRequests: { a: { method: 'elicitation/create', params } } });
  const sample = (params: object) => ({ inputRequests: { a: { method: 'sampling/createMessage', params } } });
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, { method: 'roots/list' }]));

  it.each<[string, Record<string, unknown>, McpInput?]>([
    ['for what the call did not declare', form(FORM), { capabilities: ['roots'] }],
    [
      'for a page where the call declared forms',
      form({ mode: 'url', message: 'x', url: 'https://example.org/' }),
      { capabilities: ['elicitation'] },
    ],
    ['for a form where the call declared pages', form(FORM), { capabilities: ['elicitation_url'] }],
    ['in an unknown way', form({ ...FORM, mode: 'toast' })],
    ['with a method that asks for nothing', { inputRequests: { a: { method: 'tools/call', params: {} } } }],
    ['with the name of a member that every object has', { inputRequests: { a: { method: 'constructor' } } }],
    ['with what is no request', { inputRequests: { a: null } }],
    ['with a model that may call tools', sample({ messages: [], maxTokens: 1, tools: [] })],
    ['for more things than the limit', { inputRequests: many(17) }],
    ['with more bytes than the limit', form({ ...FORM, message: 'x'.repeat(70_000) })],
    ['with more state than the limit', { requestState: 'x'.repeat(16_385) }],
    ['with a long name', { inputRequests: { ['k'.repeat(129)]: { method: 'roots/list' } } }],
    ['with a name that has a mark of direction', { inputRequests: { 'a\u202eb': { method: 'roots/list' } } }],
    ['with a name that has an escape', { inputRequests: { 'a\u001bb': { method: 'roots/list' } } }],
    ['with a name of two lines', { inputRequests: { 'a\nb': { method: 'roots/list' } } }],
    ['with the name `__proto__`', { inputRequests: JSON.parse('{"__proto__":{"method":"roots/list"}}') as object }],
    ['with a mark of direction', form({ ...FORM, message: 'a\u202eb' })],
    ['in an unknown form', form({ message: 'x', requestedSchema: 'no' })],
    ['for a page that a browser does not show', form({ mode: 'url', message: 'x', url: 'javascript:alert(1)' })],
  ])('%s gets no answer', async (_how, reply, input = ALL) => {
    expect(await asked(reply, input)).toMatchObject({ failed: { reason: 'unsupported' } });
    expect(server.methods.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('is understood at its limits, and unknown members are not passed on', async () => {
    expect(await asked({ inputRequests: many(16), requestState: 'x'.repeat(16_384) })).toHaveProperty('value');
    await server.loopback.close();
    const done = await asked(sample({ messages: [], maxTokens: 1, includeContext: 'allServers', _meta: { a: 1 } }));
    expect(done).toMatchObject({ value: { answer: { asks: { requests: { a: { params: {} } }, state: null } } } });
    const [request] = 'value' in done ? Object.values(done.value.answer.asks!.requests) : [];
    expect(request).toEqual({ method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
  });

  it('for nothing but another try is understood', async () => {
    expect(await asked({ requestState: 'later' })).toMatchObject({
      value: { answer: { asks: { requests: {}, state: 'later' } } },
    });
  });

  it('is told nothing of the answers where it speaks the older revision', async () => {
    expect(await asked({}, { ...ALL, state: 'x' }, true)).toMatchObject({ failed: { reason: 'unsupported' } });
    expect(server.methods).not.toContain('tools/call');
    await server.loopback.close();
    await asked({}, ALL, true);
    const all = JSON.stringify(server.loopback.received);
    expect([all.includes('elicitation'), all.includes('tools/call')]).toEqual([false, true]);
  });
});

it('capabilities are declared in the words of the protocol', () => {
  expect(capabilitiesOf(ALL)).toEqual({ elicitation: { form: {}, url: {} }, sampling: {}, roots: {} });
  expect(capabilitiesOf({ capabilities: [] })).toEqual({});
});

it.each([
  ['that is no text', 5, 'wants a state back that is no text'],
  ['that is too long', 'x'.repeat(16_385), 'wants more than 16384 bytes of state back'],
])('a question with a state %s is refused in words that say so', (_what, requestState, words) => {
  const reply = { resultType: 'input_required', requestState };
  expect(() => askingAnswer(reply, ALL, (text) => text)).toThrow(`the server ${words}`);
});
