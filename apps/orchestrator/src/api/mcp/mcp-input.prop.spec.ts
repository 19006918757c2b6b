// SPDX-License-Identifier: Apache-2.0
// Generated inputs of `/mcp`: whatever is sent gets an answer below 500, and the next request is served.
import fc from 'fast-check';
import { vi } from 'vitest';
import { viewOf } from '../../specs/fake-views.ts';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

vi.setConfig({ testTimeout: 60_000 });

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
  api.kernel.admits = (call) => viewOf(call, 'no_op');
});
afterAll(() => api.close());

const WHOLE = '';
const MOUNT = '&server=tracker';

async function post(body: string, headers: Readonly<Record<string, string>> = {}, query = WHOLE) {
  const answer = await fetch(`${api.url}/mcp/${has.capability_token_id}?workspace_id=${has.workspace_id}${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tenant.agent}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}

/** Only a message that expects no answer is accepted without one. */
function expectAnswered({ status, text }: { readonly status: number; readonly text: string }, sent: string): void {
  expect(status, sent).toBeLessThan(500);
  if (status === 202) expect(text).toBe('');
  else expect(text, sent).toMatch(/"jsonrpc":"2.0"|"code":"/);
}
const expectServed = async (): Promise<void> => {
  expect((await post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).text).toContain('"result"');
};

const META = 'io.modelcontextprotocol/';
const METHODS = [
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
  'tasks/list',
  'subscriptions/listen',
  'notifications/initialized',
  'notifications/cancelled',
  '__proto__',
  'constructor',
];
const any = fc.jsonValue({ maxDepth: 4 });
/** Parameters as a client sends them, with any of them replaced by something else. */
const params = fc.record(
  {
    name: fc.oneof(
      fc.constantFrom('fs.read', 'fs_read', 'operations_wait', 'tools_search', 'tools_describe', '__proto__'),
      any,
    ),
    arguments: any,
    uri: fc.oneof(fc.constantFrom('writ://workspace/a', 'writ://operations/x', 'writ://workspace/%'), any),
    cursor: any,
    taskId: any,
    ref: any,
    argument: any,
    requestState: any,
    inputResponses: any,
    protocolVersion: any,
    requestId: any,
    _meta: fc.oneof(
      any,
      fc.record(
        {
          [`${META}protocolVersion`]: fc.oneof(fc.constant('2026-07-28'), any),
          [`${META}clientCapabilities`]: fc.oneof(fc.constant({ elicitation: {} }), any),
          [`${META}clientInfo`]: fc.oneof(fc.constant({ name: 'x', version: '1' }), any),
          progressToken: any,
          'writ.dev/idempotency-key': any,
          'writ.dev/dry-run': any,
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
);
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: any }),
    id: fc.oneof(fc.integer(), fc.string(), any),
    method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...METHODS) }, { weight: 1, arbitrary: any }),
    params: fc.oneof({ weight: 9, arbitrary: params }, { weight: 1, arbitrary: any }),
  },
  { requiredKeys: ['jsonrpc'] },
);
/** Values that a header may have. */
const value = fc.oneof(
  fc.constantFrom(
    '2026-07-28',
    '2025-11-25',
    '2024-11-05',
    'tools/call',
    'fs.read',
    '=?base64?%%?=',
    '=?base64?eA==?=',
  ),
  fc.string({ unit: fc.constantFrom(...'aZ09/=?._- '), maxLength: 40 }),
);
const headers = fc.record(
  {
    'mcp-protocol-version': value,
    'mcp-method': value,
    'mcp-name': value,
    'mcp-session-id': value,
    accept: fc.constantFrom('application/json', 'text/event-stream', 'text/html', '*/*'),
  },
  { requiredKeys: [] },
);

it('a message of any shape, with any headers, is answered', async () => {
  await fc.assert(
    fc.asyncProperty(message, headers, fc.constantFrom(WHOLE, MOUNT), async (sent, named, query) => {
      const body = JSON.stringify(sent);
      expectAnswered(await post(body, named, query), body);
    }),
    { numRuns: 300 },
  );
  await expectServed();
});

it('a body that is no message is rejected: no JSON, a batch, another value', async () => {
  const batch = fc.array(message, { maxLength: 4 }).map((all) => JSON.stringify(all));
  const broken = message.chain((sent) => {
    const text = JSON.stringify(sent);
    return fc.nat({ max: text.length - 1 }).map((at) => text.slice(0, at));
  });
  const other = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)).map((one) => JSON.stringify(one));
  await fc.assert(
    fc.asyncProperty(fc.oneof(batch, broken, other), async (body) => {
      const answer = await post(body);
      expectAnswered(answer, body);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }),
    { numRuns: 100 },
  );
  await expectServed();
});

it.each([
  ['arrays', '[', ']'],
  ['objects', '{"a":', '}'],
])('%s within each other, however deep, are answered', async (_name, begin, end) => {
  for (const depth of [10, 100, 1_000, 10_000, 100_000]) {
    const nested = `${begin.repeat(depth)}1${end.repeat(depth)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fs.read","arguments":{"path":${nested}}}}`;
    expectAnswered(await post(body), `depth ${depth}`);
  }
  await expectServed();
});

it('a body above the limit is refused before it is read as a message', async () => {
  const long = 'x'.repeat(9_000_000);
  for (const body of [
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { long } }),
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: long }),
  ])
    expect((await post(body)).status).toBe(413);
  await expectServed();
});
