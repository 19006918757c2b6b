// SPDX-License-Identifier: Apache-2.0
//
// Requests of MCP beside tools, at servers that behave and at servers that don't. Whatever a server does, a session
// ends with an answer in one form or with a failure by name, and a request is sent once at most.
import { createMcpHandler, McpServer, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { serverRequestDigest, type McpServerRequest } from '@writ/mcp-tool';
import { callRemoteTool } from './call-tool.ts';
import { listRemoteTools } from './list-tools.ts';
import { Loopback } from './specs/loopback.ts';
import { ADD, eventOf, refuse, send, status, stream, Upstream, type Answer } from './specs/upstream.ts';
import type { CallWork } from './session-work.ts';

/** Long enough for a busy machine. */
const TIME_MS = 20_000;
const ALL = { tools: {}, resources: {}, prompts: {}, completions: {} };
const CACHED = { ttlMs: 0, cacheScope: 'private' };
const ERAS = [
  ['2026-07-28', false],
  ['2025-11-25', true],
] as const;

const redact = (text: string): string => text.replaceAll('SECRET', '[S]');

let server: Upstream;
let loopback: Loopback;
afterEach(() => loopback.close());

async function ask(name: McpServerRequest, args: CallWork['args'] = {}, work: Partial<CallWork> = {}) {
  const relay = loopback.relay();
  const digest = serverRequestDigest(name);
  const own = { port: relay.port, timeoutMs: TIME_MS, isLegacy: false, methods: [], known: null, output: null };
  try {
    return await callRemoteTool({ ...own, name, digest, args, ...work }, redact);
  } finally {
    relay.close();
  }
}

async function list() {
  const relay = loopback.relay({ mayCall: false });
  const own = { port: relay.port, timeoutMs: TIME_MS, isLegacy: false, methods: [] };
  try {
    return await listRemoteTools(own, redact);
  } finally {
    relay.close();
  }
}

async function listing() {
  const listed = await list();
  if ('failed' in listed) throw new Error(listed.failed.message);
  return { names: listed.value.tools.map(({ name }) => name), skipped: listed.value.skipped };
}

const sent = (name: string): number => server.methods.filter((method) => method === name).length;
const answering = (result: Readonly<Record<string, unknown>>): Answer => {
  return (received, response) => server.result(received, response, { ...CACHED, ...result });
};
const structured = (value: unknown) => ({ value: { answer: { content: [], structured: value, is_error: false } } });

describe.each(ERAS)('a server of %s', (_era, isLegacy) => {
  beforeEach(async () => {
    server = await Upstream.open({ isLegacy });
    server.capabilities = ALL;
    ({ loopback } = server);
  });

  it('lists the requests of the capabilities that it declares, behind its tools', async () => {
    const { names, skipped } = await listing();
    expect(skipped).toEqual([]);
    const prompts = ['prompts/list', 'prompts/get', 'completion/complete'];
    expect(names).toEqual(['add', 'resources/list', 'resources/templates/list', 'resources/read', ...prompts]);
  });

  it('has no tool with the name of a request, and says why', async () => {
    server.capabilities = { tools: {}, prompts: {} };
    server.tools = [ADD, { ...ADD, name: 'resources/read' }, { ...ADD, name: 'prompts/get' }];
    const listed = await list();
    const problem = expect.stringContaining('reserved') as unknown;
    expect(listed).toMatchObject({
      value: {
        tools: [{ name: 'add' }, { name: 'prompts/list' }, { name: 'prompts/get', description: /^Gets/ }],
        skipped: [
          { name: 'resources/read', problem },
          { name: 'prompts/get', problem },
        ],
      },
    });
  });

  it('without tools lists its requests alone', async () => {
    server.capabilities = { prompts: {} };
    server.answers = { 'tools/list': refuse(-32_601) };
    expect(await list()).toMatchObject({ value: { tools: [{ name: 'prompts/list' }, { name: 'prompts/get' }] } });
  });

  it.each([
    ['an internal error', ALL, refuse(-32_603)],
    ['an unknown method, though it declares tools', ALL, refuse(-32_601)],
    ['an unknown method, and has nothing else', {}, refuse(-32_601)],
  ])('that answers the listing of its tools with %s is not listed', async (_what, capabilities, answer) => {
    server.capabilities = capabilities;
    server.answers = { 'tools/list': answer };
    expect(await list()).toMatchObject({ failed: { reason: 'failed' } });
  });

  it('with as many tools as are read has no requests, and says so', async () => {
    server.capabilities = { tools: {}, prompts: {} };
    server.tools = Array.from({ length: 511 }, (_, n) => ({ ...ADD, name: `t${n}` }));
    const { names, skipped } = await listing();
    expect(names).toHaveLength(512);
    expect(skipped).toEqual([{ name: 'prompts/get', problem: expect.stringContaining('no room') as unknown }]);
  });

  it.each<[McpServerRequest, CallWork['args'], Record<string, unknown>, unknown]>([
    [
      'resources/list',
      { cursor: 'a' },
      {
        resources: [
          {
            uri: 'a:1',
            name: 'one',
            title: 'One',
            mimeType: 'text/plain',
            size: 5,
            annotations: { audience: ['user', 'user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z', more: 1 },
            _meta: { hidden: true },
            icons: [],
          },
        ],
        nextCursor: 'b',
        _meta: { hidden: true },
      },
      {
        resources: [
          {
            uri: 'a:1',
            name: 'one',
            title: 'One',
            mimeType: 'text/plain',
            size: 5,
            annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' },
          },
        ],
        nextCursor: 'b',
      },
    ],
    [
      'resources/templates/list',
      {},
      { resourceTemplates: [{ uriTemplate: 'a:{id}', name: 'one', description: 'Of one.', more: 1 }] },
      { resourceTemplates: [{ uriTemplate: 'a:{id}', name: 'one', description: 'Of one.' }] },
    ],
    [
      'resources/read',
      { uri: 'a:1' },
      {
        contents: [
          { uri: 'a:1', mimeType: 'text/plain', text: '', _meta: {} },
          { uri: 'a:2', blob: 'AAEC' },
        ],
      },
      {
        contents: [
          { uri: 'a:1', mimeType: 'text/plain', text: '' },
          { uri: 'a:2', blob: 'AAEC' },
        ],
      },
    ],
    [
      'prompts/list',
      {},
      { prompts: [{ name: 'p', arguments: [{ name: 'a', required: true, more: 1 }, { name: 'b' }], icons: [] }] },
      { prompts: [{ name: 'p', arguments: [{ name: 'a', required: true }, { name: 'b' }] }] },
    ],
    [
      'prompts/get',
      { name: 'p', arguments: { a: '1' } },
      {
        description: 'A prompt.',
        messages: [
          { role: 'user', content: { type: 'text', text: 'Hello.', annotations: { priority: 1 }, _meta: {} }, more: 1 },
          { role: 'assistant', content: { type: 'image', mimeType: 'image/png', data: 'AAEC' } },
          { role: 'user', content: { type: 'resource', resource: { uri: 'a:1', text: 'one', _meta: {} } } },
          { role: 'user', content: { type: 'resource_link', uri: 'a:1', name: 'one', size: 3, icons: [] } },
        ],
      },
      {
        description: 'A prompt.',
        messages: [
          { role: 'user', content: { type: 'text', text: 'Hello.', annotations: { priority: 1 } } },
          { role: 'assistant', content: { type: 'image', mimeType: 'image/png', data: 'AAEC' } },
          { role: 'user', content: { type: 'resource', resource: { uri: 'a:1', text: 'one' } } },
          { role: 'user', content: { type: 'resource_link', uri: 'a:1', name: 'one', size: 3 } },
        ],
      },
    ],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'x' } },
      { completion: { values: ['xa', 'xb'], total: 7, hasMore: true, more: 1 } },
      { completion: { values: ['xa', 'xb'], total: 7, hasMore: true } },
    ],
  ])('answers %s in the form of its definition', async (name, args, result, expected) => {
    server.answers = { [name]: answering(result) };
    expect(await ask(name, args)).toMatchObject({ ...structured(expected), value: { listed: { isLegacy, ttlMs: 0 } } });
    expect(server.loopback.received.find(({ method }) => method === name)?.params).toMatchObject(args);
    expect(server.methods).toEqual(
      isLegacy ? ['server/discover', 'initialize', 'notifications/initialized', name] : ['server/discover', name],
    );
  });

  const many = (count: number) => Array.from({ length: count }, (_, n) => ({ uri: `a:${n}`, name: `${n}` }));
  const FORMS: readonly [string, McpServerRequest, Record<string, unknown>, string][] = [
    ['no list', 'resources/list', { resources: 5 }, 'malformed'],
    ['an entry that is none', 'resources/list', { resources: [5] }, 'malformed'],
    ['an entry without its address', 'resources/list', { resources: [{ name: 'SECRET' }] }, 'malformed'],
    ['a cursor that is no text', 'resources/list', { resources: [], nextCursor: 5 }, 'malformed'],
    ['a size that is no number', 'resources/list', { resources: [{ ...many(1)[0], size: '5' }] }, 'malformed'],
    ['a size that nobody can hold', 'resources/list', { resources: [{ ...many(1)[0], size: 1e300 }] }, 'malformed'],
    ['a cursor that is too long', 'prompts/list', { prompts: [], nextCursor: 'x'.repeat(4_097) }, 'malformed'],
    ['more entries than are read', 'resources/list', { resources: many(1_001) }, 'too_large'],
    ['more values than there may be', 'completion/complete', { completion: { values: Array(101).fill('a') } }, ''],
    ['half of a character', 'resources/read', { contents: [{ uri: 'a:1', text: '\ud800' }] }, 'result_invalid'],
    ['contents without text or bytes', 'resources/read', { contents: [{ uri: 'a:1' }] }, 'malformed'],
    ['bytes that are no base64', 'resources/read', { contents: [{ uri: 'a:1', blob: '%SECRET' }] }, 'malformed'],
    ['a role that is none', 'prompts/get', { messages: [{ role: 'system', content: {} }] }, 'malformed'],
    ['a part that is none', 'prompts/get', { messages: [{ role: 'user', content: { type: 'SECRET' } }] }, 'malformed'],
    ['an answer of a tool', 'resources/read', { content: [], structuredContent: {} }, 'malformed'],
    [
      'more arguments than are read',
      'prompts/list',
      { prompts: [{ name: 'p', arguments: Array(257).fill({ name: 'a' }) }] },
      'too_large',
    ],
  ];
  it.each(FORMS)('that answers with %s has failed by name', async (_what, name, result, reason) => {
    server.answers = { [name]: answering(result) };
    const done = await ask(name, { uri: 'a:1' });
    // Some forms are refused by the SDK before they are read here, which calls all of them malformed.
    expect([reason || 'too_large', 'malformed']).toContain((done as { failed: { reason: string } }).failed?.reason);
    expect(JSON.stringify(done)).not.toContain('SECRET');
    expect(sent(name)).toBe(1);
  });

  it.each<[string, Answer, string]>([
    ['that there is no such resource', refuse(-32_002, 'no resource a:9'), 'failed'],
    ['that its arguments are wrong', refuse(-32_602, 'no resource a:9'), 'failed'],
    ['that it can not read the message', refuse(-32_700), 'refused'],
    ['401', status(401), 'denied'],
    ['404', status(404), 'refused'],
    ['500', status(500), 'failed'],
    ['HTML', status(200, { 'content-type': 'text/html' }, '<html>'), 'malformed'],
    ['a broken connection', (_received, response) => response.destroy(), 'unreachable'],
    ['an empty stream', (_received, response) => stream(response).end(), 'unreachable'],
    [
      'a stream that breaks off',
      (_received, response) => void stream(response).write(': hello\n\n', () => response.destroy()),
      'unreachable',
    ],
    [
      'more bytes than are read',
      (received, response) =>
        server.result(received, response, { ...CACHED, contents: [{ uri: 'a', text: 'x'.repeat(17 * 1_048_576) }] }),
      'too_large',
    ],
  ])('that answers a read with %s has failed by name', async (_what, answer, reason) => {
    server.answers = { 'resources/read': answer };
    const done = await ask('resources/read', { uri: 'a:9' });
    expect(done).toMatchObject({ failed: { reason } });
    if (reason === 'failed' && answer !== undefined)
      expect((done as { failed: { message: string } }).failed.message).toMatch(/no resource a:9|status 500/);
    expect(sent('resources/read')).toBe(1);
  });

  it('that declares the capability no more is not asked', async () => {
    server.capabilities = { tools: {}, prompts: {} };
    expect(await ask('resources/read', { uri: 'a:1' })).toMatchObject({ failed: { reason: 'gone' } });
    expect(sent('resources/read')).toBe(0);
  });

  it('is asked nothing where another definition was accepted', async () => {
    const done = await ask('resources/read', { uri: 'a:1' }, { digest: '0'.repeat(64) });
    expect(done).toMatchObject({ failed: { reason: 'changed' } });
    expect(server.methods).toEqual([]);
  });

  it('that declares a capability and has no such method has failed by name', async () => {
    server.answers = { 'prompts/list': refuse(-32_601) };
    expect(await ask('prompts/list')).toMatchObject({ failed: { reason: 'failed' } });
    expect(sent('prompts/list')).toBe(1);
  });
});

describe('a server that asks', () => {
  const question = {
    method: 'elicitation/create',
    params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
  };
  const asks = { resultType: 'input_required', inputRequests: { who: question }, requestState: 'kept' };
  const capabilities = ['elicitation'] as const;
  const responses = { who: { action: 'accept' } };
  const open = async (name: McpServerRequest, result: Record<string, unknown> = asks, isLegacy = false) => {
    server = await Upstream.open({ isLegacy });
    server.capabilities = ALL;
    ({ loopback } = server);
    server.answers = { [name]: (received, response) => server.result(received, response, result) };
  };

  it.each<[McpServerRequest, CallWork['args'], Record<string, unknown>]>([
    ['resources/read', { uri: 'a:1' }, { contents: [{ uri: 'a:1', text: 'one' }] }],
    ['prompts/get', { name: 'p' }, { messages: [] }],
  ])('in answer to %s asks the client, and gets its answers once', async (name, args, result) => {
    await open(name);
    expect(await ask(name, args, { input: { capabilities } })).toMatchObject({
      value: { answer: { content: [], structured: null, asks: { requests: { who: question }, state: 'kept' } } },
    });
    server.answers = { [name]: answering(result) };
    const done = await ask(name, args, { input: { capabilities, responses, state: 'kept' } });
    expect(done).toMatchObject(structured(result));
    const [first, second] = loopback.received.filter(({ method }) => method === name).map(({ params }) => params);
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
    expect([first, second]).toMatchObject([
      { ...args, _meta },
      { ...args, inputResponses: responses, requestState: 'kept' },
    ]);
    expect(first).not.toHaveProperty('inputResponses');
    expect(sent(name)).toBe(2);
  });

  it.each<[string, McpServerRequest, Partial<CallWork>]>([
    ['where it may ask for nothing', 'prompts/get', {}],
    ['for what was not declared', 'resources/read', { input: { capabilities: ['roots'] } }],
    ['in answer to a list', 'prompts/list', { input: { capabilities } }],
    ['in answer to a completion', 'completion/complete', { input: { capabilities } }],
  ])('%s has failed by name', async (_when, name, work) => {
    await open(name);
    expect(await ask(name, {}, work)).toMatchObject({ failed: { reason: 'unsupported' } });
    expect(sent(name)).toBe(1);
  });

  it('gets no answers in the revision 2025-11-25', async () => {
    await open('prompts/get', { messages: [] }, true);
    const done = await ask('prompts/get', { name: 'p' }, { input: { capabilities, responses }, isLegacy: true });
    expect([done, sent('prompts/get')]).toMatchObject([{ failed: { reason: 'unsupported' } }, 0]);
    expect(await ask('prompts/get', { name: 'p' }, { input: { capabilities }, isLegacy: true })).toHaveProperty(
      'value',
    );
    expect(JSON.stringify(loopback.received)).not.toContain('elicitation');
  });
});

it('a server of 2025-11-25 that lost the session when it was asked is not asked again', async () => {
  server = await Upstream.open({ isLegacy: true });
  server.capabilities = ALL;
  ({ loopback } = server);
  server.answers = { 'resources/read': status(404) };
  const done = await ask('resources/read', { uri: 'a:1' }, { isLegacy: true });
  expect(done).toMatchObject({ failed: { reason: 'refused' } });
  expect([sent('resources/read'), sent('initialize')]).toEqual([1, 1]);
});

it('an answer after notes and answers to nobody is understood', async () => {
  server = await Upstream.open();
  server.capabilities = ALL;
  ({ loopback } = server);
  server.answers = {
    'resources/read': (received, response) => {
      const result = { resultType: 'complete', ...CACHED, contents: [{ uri: 'a:1', text: 'other' }] };
      const stranger = eventOf({ jsonrpc: '2.0', id: 4_711, result });
      const answer = server.event(received, { ...CACHED, contents: [{ uri: 'a:1', text: 'one' }] });
      stream(response).end(`${stranger}${answer}${answer}`);
    },
  };
  const contents = [{ uri: 'a:1', text: 'one' }];
  expect(await ask('resources/read', { uri: 'a:1' })).toMatchObject(structured({ contents }));
});

describe.each(ERAS)('a server of the official SDK, of %s', (_era, isLegacy) => {
  beforeEach(async () => {
    const handler = createMcpHandler(() => {
      const made = new McpServer({ name: 'official', version: '2' });
      made.registerResource('one', 'a:1', { mimeType: 'text/plain' }, ({ href: uri }) => ({
        contents: [{ uri, text: `of ${uri}` }],
      }));
      made.registerResource('other', 'a:2', {}, ({ href }) => {
        throw new ResourceNotFoundError(href);
      });
      return made;
    });
    loopback = await Loopback.open(async ({ httpMethod, headers, body }, response) => {
      const own = { method: httpMethod, headers: headers as Record<string, string>, body: body === '' ? null : body };
      const answer = await handler.fetch(new Request('http://127.0.0.1/mcp', own));
      response
        .writeHead(answer.status, Object.fromEntries(answer.headers))
        .end(Buffer.from(await answer.arrayBuffer()));
    });
  });

  it('without tools lists its requests, and is asked', async () => {
    expect((await listing()).names).toEqual(['resources/list', 'resources/templates/list', 'resources/read']);
    expect(await ask('resources/list', {}, { isLegacy })).toMatchObject(
      structured({ resources: [{ uri: 'a:1', name: 'one', mimeType: 'text/plain' }, { name: 'other' }] }),
    );
    expect(await ask('resources/read', { uri: 'a:1' }, { isLegacy })).toMatchObject(
      structured({ contents: [{ uri: 'a:1', text: 'of a:1' }] }),
    );
    // Its header has a name in base64 in the newer revision.
    expect(await ask('resources/read', { uri: 'a:ü' }, { isLegacy })).toMatchObject({
      failed: { reason: 'failed', message: expect.stringContaining('not found') as unknown },
    });
    expect(await ask('resources/read', { uri: 'a:2' }, { isLegacy })).toMatchObject({ failed: { reason: 'failed' } });
  });
});

it('an answer that is no single message of the session is none', async () => {
  server = await Upstream.open();
  server.capabilities = ALL;
  ({ loopback } = server);
  server.answers = { 'prompts/list': (_received, response) => send(response, [{ jsonrpc: '2.0' }]) };
  expect(await ask('prompts/list')).toMatchObject({ failed: { reason: 'malformed' } });
});
