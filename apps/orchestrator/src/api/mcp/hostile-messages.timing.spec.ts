// SPDX-License-Identifier: Apache-2.0
// What one message costs on the event loop, and how long its answer is. The longest that an agent may send without
// being refused for its size, of the shapes that schemas take longest for.
import { newId } from '@writ/nest-kit';
import { McpEndpoint } from './mcp-endpoint.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const info = (icons: unknown) => ({
  ...META,
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1', icons },
});
const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const named = (count: number): Record<string, number> =>
  Object.fromEntries(many(count, (n) => [`a_name_of_a_member_${n}`, n]));
const call = (params: object) => ({
  method: 'tools/call',
  params: { name: 'operations.wait', _meta: META, ...params },
});

const MESSAGES: [string, { method: string; params: Record<string, unknown> }][] = [
  ['a call with 30,000 numbers as icons', call({ _meta: info(many(30_000, () => 0)) })],
  ['a call with 1,400 numbers as icons', call({ _meta: info(many(1_400, () => 0)) })],
  ['a call with 1,400 objects as icons', call({ _meta: info(many(1_400, () => ({}))) })],
  ['a list with 1,400 numbers as icons', { method: 'tools/list', params: { _meta: info(many(1_400, () => 0)) } }],
  ['a call with 4,000 names in its arguments', call({ arguments: named(4_000) })],
  ['a call with 30,000 values in its arguments', call({ arguments: { list: many(30_000, () => 0) } })],
  ['a call with a list as arguments', call({ arguments: many(1_400, () => 0) })],
  ['a call with 1,400 answers', call({ inputResponses: Object.fromEntries(many(1_400, (n) => [`r${n}`, n])) })],
  [
    'a completion with 1,400 wrong arguments',
    {
      method: 'completion/complete',
      params: { _meta: META, ref: {}, argument: {}, context: { arguments: named(1_400) } },
    },
  ],
];

const parts = {
  ids: { of: (_caller: never, name: string) => name },
  // A mount whose server has no tool.
  remote: { find: () => Promise.resolve(null) },
};
const endpoint = new McpEndpoint(parts as never, () => undefined);

/** Answers a message. A fault is as good as an answer. */
async function answered(
  { method, params }: (typeof MESSAGES)[number][1],
  isModern: boolean,
  server: string | null,
): Promise<string> {
  const { _meta, ...others } = params;
  const { 'io.modelcontextprotocol/clientInfo': clientInfo } = _meta as typeof META;
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method,
    // The older revision has no envelope, and checks all of `_meta` alike.
    params: isModern ? params : { ...others, _meta: { clientInfo } },
  } as const;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(isModern
      ? {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {}),
        }
      : { 'mcp-protocol-version': '2025-11-25' }),
  };
  const access = {
    caller: { api_key_id: newId('apiKey') },
    tokenId: newId('token'),
    server,
    header: () => undefined,
    gone: new AbortController().signal,
  };
  try {
    const request = new Request('http://writ/mcp', { method: 'POST', headers });
    return await (await endpoint.answer(request, message, access as never)).text();
  } catch (error) {
    expect(error).toMatchObject({ code: 'request.too_large' });
    return '';
  }
}

describe.each([
  ['2026-07-28', true, null],
  ['2025-11-25', false, null],
  ['2026-07-28 at a mount', true, 'tracker'],
  ['2025-11-25 at a mount', false, 'tracker'],
])('in the revision %s', (_revision, isModern, server) => {
  test.each(MESSAGES)('%s costs less than 20 milliseconds, and has a short answer', async (_what, message) => {
    const tries: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      const from = process.cpuUsage();
      const text = await answered(message, isModern, server);
      const { user, system } = process.cpuUsage(from);
      tries.push((user + system) / 1_000);
      expect(text.length).toBeLessThan(2_048);
    }
    expect(Math.min(...tries)).toBeLessThan(20);
  });
});

test('initialize with 30,000 or 1,400 numbers as icons is the same', async () => {
  for (const count of [30_000, 1_400]) {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1', icons: many(count, () => 0) },
      _meta: META,
    };
    const tries: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      const from = process.cpuUsage();
      expect((await answered({ method: 'initialize', params }, false, null)).length).toBeLessThan(2_048);
      const { user, system } = process.cpuUsage(from);
      tries.push((user + system) / 1_000);
    }
    expect(Math.min(...tries)).toBeLessThan(20);
  }
});
