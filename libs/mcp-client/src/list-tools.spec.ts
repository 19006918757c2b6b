// SPDX-License-Identifier: Apache-2.0
import { listRemoteTools } from './list-tools.ts';
import { ADD, refuse, status, Upstream, type Answer } from './specs/upstream.ts';

let server: Upstream;
beforeEach(async () => {
  server = await Upstream.open();
});
afterEach(() => server.loopback.close());

async function list() {
  const relay = server.loopback.relay({ mayCall: false });
  try {
    return await listRemoteTools({ port: relay.port, timeoutMs: 20_000, isLegacy: false, methods: [] }, (text) => text);
  } finally {
    relay.close();
  }
}

/** Pages of tools, by their cursors. */
const paged =
  (page: (cursor: unknown) => { readonly tools: readonly unknown[]; readonly nextCursor?: unknown }): Answer =>
  (received, response) =>
    server.result(received, response, { ttlMs: 0, cacheScope: 'private', ...page(received.params['cursor']) });
const named = (name: string, more: object = {}) => ({ ...ADD, name, ...more });

it('lists the tools of all pages, with exactly the members that count', async () => {
  const listed = { ...ADD, icons: [], _meta: { a: 1 }, annotations: { readOnlyHint: true, other: 'kept' } };
  server.answers = {
    'tools/list': paged((cursor) =>
      cursor === undefined ? { tools: [listed], nextCursor: 'b' } : { tools: [named('b', { title: 'B' })] },
    ),
  };
  expect(await list()).toEqual({
    value: {
      tools: [
        { ...ADD, annotations: { readOnlyHint: true, other: 'kept' } },
        { ...ADD, name: 'b', title: 'B' },
      ],
      skipped: [],
      bytes: expect.any(Number) as unknown,
      ttlMs: 0,
      about: { protocol: '2026-07-28', name: '', version: '' },
      isLegacy: false,
    },
  });
});

it('tells how long the server says that its listing is valid', async () => {
  server.answers = {
    'tools/list': (r, response) => server.result(r, response, { tools: [ADD], ttlMs: 5_000, cacheScope: 'private' }),
  };
  expect(await list()).toMatchObject({ value: { ttlMs: 5_000 } });
});

/** More than a schema may take. */
const LONG = { type: 'object', description: 'x'.repeat(33 * 1024) };
let deep: object = { type: 'object' };
for (let level = 0; level < 70; level += 1) deep = { properties: { a: deep } };
it.each<[string, object, string]>([
  ['a schema that is too long', { inputSchema: LONG }, 'takes more than 32768 bytes'],
  ['a schema of its result that is too long', { outputSchema: LONG }, 'takes more than 32768 bytes'],
  ['a schema that is too deep', { inputSchema: { type: 'object', ...deep } }, 'no canonical form'],
  ['a number that nobody can hold', { annotations: { a: 1e300 } }, 'no canonical form'],
  ['half of a character', { description: '\ud800' }, 'no canonical form'],
  ['the wish to run as a task', { execution: { taskSupport: 'required' } }, 'as a task only'],
  ['a name that is too long', { name: 'x'.repeat(129) }, 'more than 128 characters'],
])('leaves out a tool with %s, and says why', async (_what, change, problem) => {
  server.tools = [ADD, { ...named('b'), ...change }];
  const listed = await list();
  expect(listed).toMatchObject({
    value: { tools: [{ name: 'add' }], skipped: [{ problem: expect.stringContaining(problem) as unknown }] },
  });
});

it('leaves out both of two tools with one name', async () => {
  server.tools = [named('b'), ADD, named('b', { title: 'other' }), named('b')];
  expect(await list()).toMatchObject({
    value: { tools: [{ name: 'add' }], skipped: [{ name: 'b', problem: 'the server lists it twice' }] },
  });
});

it.each<[string, () => Answer, string]>([
  [
    'more tools than are read',
    () => paged(() => ({ tools: Array.from({ length: 513 }, (_, n) => named(`t${n}`)) })),
    'too_large',
  ],
  [
    'more bytes than are read',
    () =>
      paged(() => ({
        tools: Array.from({ length: 40 }, (_, n) => named(`t${n}`, { description: 'x'.repeat(30_000) })),
      })),
    'too_large',
  ],
  [
    'pages without an end',
    () => {
      let n = 0;
      return paged(() => ({ tools: [], nextCursor: `p${(n += 1)}` }));
    },
    'too_large',
  ],
  ['one page again and again', () => paged(() => ({ tools: [], nextCursor: 'same' })), 'malformed'],
  ['a tool without a name', () => paged(() => ({ tools: [{ inputSchema: { type: 'object' } }] })), 'malformed'],
  ['a tool that is none', () => paged(() => ({ tools: [5] })), 'malformed'],
  ['no list', () => paged(() => ({ tools: 5 }) as never), 'malformed'],
  ['an error', () => refuse(-32_603), 'failed'],
  ['403', () => status(403), 'denied'],
])('ends by name at a server that lists %s', async (_what, answer, reason) => {
  server.answers = { 'tools/list': answer() };
  expect(await list()).toMatchObject({ failed: { reason } });
});

it('does not fall back to an older revision at a server that wants a credential', async () => {
  server.answers = { 'server/discover': status(401, { 'www-authenticate': 'Bearer' }) };
  expect(await list()).toMatchObject({ failed: { reason: 'denied' } });
  expect(server.methods).toEqual(['server/discover']);
});
