// SPDX-License-Identifier: Apache-2.0
// Operations of an HTTP API as tools, through the public API: an OpenAPI document is imported, and calls reach a real
// server over HTTPS. Servers on loopback stand for the internet (tests/stack).
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { vi } from 'vitest';
import {
  makeWorld,
  Observer,
  openFakeInternet,
  startStack,
  verifiedReceipt,
  type FakeInternet,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { GuideFolder } from './guide.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SECRET = 'marker-58bd-of-a-shop';
const CANARY = 'canary-9c04-of-a-customer';
const SERVER = 'https://api.outside.example/v1';
const DOCUMENT = `
openapi: 3.1.0
info: {title: Shop, version: '1'}
servers: [{url: '${SERVER}'}]
security: [{key: []}]
paths:
  /orders:
    get:
      operationId: listOrders
      parameters: [{name: state, in: query, schema: {type: string, pattern: '^(open|done)+$'}}]
      responses: {}
    post:
      operationId: createOrder
      requestBody:
        required: true
        content: {application/json: {schema: {type: object, properties: {amount: {type: number, minimum: 1}}}}}
      responses: {}
  /orders/{id}:
    delete:
      operationId: deleteOrder
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {}
  /customers/{id}:
    get:
      operationId: showCustomer
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200':
          description: the customer
          content:
            application/json: {schema: {type: object, properties: {email: {type: string}, plan: {type: string}}}}
  /moved:
    get: {operationId: showMoved, responses: {}}
  /photos:
    post:
      operationId: uploadPhoto
      requestBody: {required: true, content: {multipart/form-data: {}}}
      responses: {}
components:
  securitySchemes: {key: {type: http, scheme: bearer}}
`;
const POLICY = {
  v: 1,
  name: 'shop',
  cedar: `@id("no_delete") @reason("orders are kept") @would_pass("another operation")
forbid (principal, action == Action::"api.shop.deleteOrder", resource);
@id("private") @reason("agents see no addresses") @redact("/body/email")
forbid (principal, action == Action::"api.shop.showCustomer", resource);
@id("all") @reason("everything else is permitted")
permit (principal, action, resource);`,
  thresholds: { general: { soft_gate: null, escalated: null, no_go: null } },
};

interface Seen {
  readonly request: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let fakeInternet: FakeInternet;
let seen: Seen[];
let answer: (response: ServerResponse) => void;
let stack: Stack;
let world: World;
let token: string;

beforeAll(async () => {
  fakeInternet = await openFakeInternet((request, response) => {
    const parts: Buffer[] = [];
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        const { method = '', url = '', headers } = request;
        seen.push({ request: `${method} ${url}`, headers, body: Buffer.concat(parts).toString() });
        answer(response);
      });
  });
  stack = await startStack({ programs: { executor: [fakeInternet.program] }, env: { executor: fakeInternet.env } });
  world = await makeWorld(stack.url, stack.keys.platformKey);
  const secret = { name: 'SHOP_KEY', value: SECRET };
  expect((await world.admin.request('PUT', '/v1/secrets', secret)).status).toBe(200);
  expect((await importShop()).applied).toMatchObject({ valid: true });
  const { policy } = await world.admin.must('/v1/policies', { document: POLICY });
  await world.admin.must('/v1/policies/activate', { policy: (policy as JsonValue).policy_hash });
  token = await tokenFor(['GET', 'POST', 'DELETE']);
});
afterAll(async () => {
  await stack?.stop();
  fakeInternet?.close();
});
beforeEach(() => {
  seen = [];
  answerWith(200, { ok: true });
});

function answerWith(status: number, body: unknown, headers: Record<string, string> = {}): void {
  answer = (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
const importShop = async (over: JsonValue = {}): Promise<JsonValue> =>
  await world.admin.must('/v1/tools/imports/openapi', {
    document: DOCUMENT,
    options: { name: 'shop', secrets: { key: 'SHOP_KEY' }, idempotency_headers: { createOrder: 'Idempotency-Key' } },
    ...over,
  });
async function tokenFor(methods: readonly string[]): Promise<string> {
  const grant = {
    tools: ['api.shop.*'],
    fs: [],
    net: [{ domain: 'api.outside.example', methods }],
    secrets: [],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 3_600_000,
  };
  const about = { agent_id: world.agentId, workspace_id: world.workspaceId, grant };
  return (await world.admin.must('/v1/capability-tokens', about)).capability_token_id as string;
}
const call = async (operation: string, args: JsonValue, under = token): Promise<JsonValue> =>
  (await world.call(`api.shop.${operation}`, args, { capability_token_id: under })).body;
const recordOf = async (ended: JsonValue) =>
  (await verifiedReceipt(stack, world, ended.operation_id as string, 'outcome')).record;

it('an import says what becomes of each operation, and an import of the same document changes nothing', async () => {
  const again = await importShop();
  expect((again.operations as JsonValue[]).map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
    'listOrders tool',
    'createOrder tool',
    'deleteOrder tool',
    'showCustomer tool',
    'showMoved tool',
    'uploadPhoto unusable',
  ]);
  expect(again.problems).toMatchObject([{ pointer: '/paths/~1photos/post/requestBody/content' }]);
  expect((again.applied.tools as JsonValue[]).map(({ change }) => change)).toEqual(Array(5).fill('unchanged'));
});

it('a call that reads reaches the server with the credential, which nothing shows', async () => {
  answerWith(200, { orders: [1], echo: `Bearer ${SECRET}` });
  const ended = await call('listOrders', { state: 'opendone' });
  expect(ended).toMatchObject({
    status: 'ok',
    tx_outcome: 'no_op',
    result: { status: 200, body: { orders: [1] }, encoding: 'json' },
  });
  expect(seen).toMatchObject([
    { request: 'GET /v1/orders?state=opendone', headers: { authorization: `Bearer ${SECRET}` } },
  ]);
  expect(JSON.stringify(ended)).not.toContain(SECRET);
  expect(await recordOf(ended)).toMatchObject({ tool_id: 'api.shop.listOrders', egress_count: 1, tx_outcome: 'no_op' });
  const { body: list } = await world.agent.get(`/v1/operations/${ended.operation_id as string}/requests`);
  expect(list.items).toMatchObject([{ method: 'GET', target: `${SERVER}/orders?state=opendone`, status: 200 }]);
});

it('a call that writes is committed, carries the id of its operation, and has a receipt', async () => {
  answerWith(201, { id: 7 });
  const ended = await call('createOrder', { body: { amount: 5 } });
  expect(ended).toMatchObject({ status: 'ok', tx_outcome: 'committed', result: { status: 201, body: { id: 7 } } });
  expect(seen).toMatchObject([
    {
      request: 'POST /v1/orders',
      headers: { authorization: `Bearer ${SECRET}`, 'idempotency-key': ended.operation_id as string },
      body: '{"amount":5}',
    },
  ]);
  expect(await recordOf(ended)).toMatchObject({ egress_count: 1, tx_outcome: 'committed' });
});

it('policy refuses an operation, and the token a method: nothing leaves', async () => {
  expect(await call('deleteOrder', { id: '7' })).toMatchObject({ status: 'error', error: { code: 'policy.denied' } });
  const reads = await tokenFor(['GET']);
  expect(await call('createOrder', { body: { amount: 5 } }, reads)).toMatchObject({ error: { code: 'token.scope' } });
  expect(seen).toEqual([]);
});

it('arguments that do not fit the document are refused: nothing leaves', async () => {
  expect(await call('createOrder', { body: { amount: 0 } })).toMatchObject({ error: { code: 'args.invalid' } });
  // V8 would try 2^5000 ways to match it.
  const hostile = `${'open'.repeat(5_000)}!`;
  expect(await call('listOrders', { state: hostile })).toMatchObject({ error: { code: 'args.invalid' } });
  expect(seen).toEqual([]);
});

it('a member that a rule redacts is in no answer, no stored result, no record and no log', async () => {
  answerWith(200, { email: CANARY, plan: 'basic' });
  const ended = await call('showCustomer', { id: '7' });
  expect(seen).toMatchObject([{ request: 'GET /v1/customers/7' }]);
  const body = { email: '[redacted]', plan: 'basic' };
  expect(ended).toMatchObject({ status: 'ok', tx_outcome: 'no_op', result: { status: 200, body } });
  const operationId = ended.operation_id as string;
  const { body: shown } = await world.admin.get(`/v1/operations/${operationId}`);
  const redactions = [{ rule: 'private', pointers: ['/body/email'] }];
  expect(shown).toMatchObject({ redactions, result: { result: { body } } });
  const { record: decision } = await verifiedReceipt(stack, world, operationId, 'decision');
  expect(decision).toMatchObject({ redactions });
  const places = {
    answers: JSON.stringify([ended, shown]),
    records: JSON.stringify([decision, await recordOf(ended)]),
    stored: await new Observer(stack).everythingStored(),
    logs: stack.logTails(),
  };
  expect(places.stored).toContain(operationId);
  for (const [where, text] of Object.entries(places))
    for (const canary of [CANARY, Buffer.from(CANARY).toString('base64')])
      expect(text.includes(canary), where).toBe(false);
});

it('a redirect is not followed: the call fails and shows it', async () => {
  answerWith(302, {}, { location: 'https://other.outside.example/x' });
  expect(await call('showMoved', {})).toMatchObject({
    status: 'error',
    tx_outcome: 'no_op',
    error: { code: 'api.failed' },
    result: { status: 302, headers: { location: 'https://other.outside.example/x' } },
  });
  expect(seen.map(({ request }) => request)).toEqual(['GET /v1/moved']);
});

it.each([
  [422, 'createOrder', { body: { amount: 5 } }, { tx_outcome: 'rolled_back', error: { code: 'api.refused' } }],
  [500, 'createOrder', { body: { amount: 5 } }, { tx_outcome: 'ambiguous', error: { code: 'effect.ambiguous' } }],
  [408, 'createOrder', { body: { amount: 5 } }, { tx_outcome: 'ambiguous', error: { code: 'effect.ambiguous' } }],
  [409, 'createOrder', { body: { amount: 5 } }, { tx_outcome: 'ambiguous', error: { code: 'effect.ambiguous' } }],
  [404, 'listOrders', {}, { tx_outcome: 'no_op', error: { code: 'api.refused' } }],
  [503, 'listOrders', {}, { tx_outcome: 'no_op', error: { code: 'api.failed' } }],
])('an answer of %d to %s is a failed call that shows its body, and its receipt verifies', async (...row) => {
  const [status, operation, args, outcome] = row;
  answerWith(status, { why: 'no stock' });
  const ended = await call(operation, args);
  expect(ended).toMatchObject({ status: 'error', ...outcome, result: { status, body: { why: 'no stock' } } });
  expect(seen).toHaveLength(1);
  expect(await recordOf(ended)).toMatchObject({ egress_count: 1, tx_outcome: outcome.tx_outcome });
});

it('a call that writes and gets no answer is ambiguous', async () => {
  answer = (response) => void response.destroy();
  const ended = await call('createOrder', { body: { amount: 5 } });
  expect(ended).toMatchObject({ tx_outcome: 'ambiguous', error: { code: 'effect.ambiguous' } });
  expect(await recordOf(ended)).toMatchObject({ tx_outcome: 'ambiguous' });
});

it('every command of docs/how-to/openapi.md works as the guide describes', async () => {
  answer = (response) => {
    const { request = '' } = seen.at(-1) ?? {};
    const status = request.endsWith('/none') ? 404 : request.startsWith('POST') ? 201 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ of: request }));
  };
  const folder = await GuideFolder.open(stack);
  try {
    const variables = { SERVER, HOST: 'api.outside.example', SHOP_KEY: SECRET };
    const said = await folder.run('how-to/openapi.md', variables);
    expect(said).toMatch(/left out: see problems\nproblems:\n +\/paths\/~1pets~1\{petId\}~1photo\/put/);
    expect(said).toMatch(/api\.shop\.listPets +created, version 1/);
    expect(said).not.toContain(SECRET);
  } finally {
    folder.remove();
  }
  expect(seen.map(({ request }) => request)).toEqual([
    'GET /v1/pets?limit=5&tags=small&tags=old',
    'POST /v1/pets',
    'GET /v1/pets/none',
  ]);
  expect(seen.every(({ headers }) => headers['x-api-key'] === SECRET)).toBe(true);
  expect(seen[1]).toMatchObject({ headers: { 'idempotency-key': expect.stringMatching(/^op_/) as unknown } });
});
