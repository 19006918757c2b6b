// SPDX-License-Identifier: Apache-2.0
import { RESOURCE_SECRET_PREFIX, type HttpTool, type Redemption } from '@writ/contract';
import { httpDefinition } from '@writ/http-tool';
import { EgressFixture } from '../specs/egress-fixture.ts';
import { BrokerRunner } from './broker-runner.ts';

let on: EgressFixture;
beforeEach(async () => {
  on = await EgressFixture.open();
});
afterEach(async () => await on.close());

const SECRET = 'key-0123456789-secret';
const ORDER: HttpTool = {
  v: 1,
  kind: 'http',
  tool_id: 'api.shop.createOrder',
  version: 1,
  description: 'Creates an order.',
  category: 'write',
  parameters: {
    type: 'object',
    properties: { shop: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } }, body: {} },
    required: ['shop'],
    additionalProperties: false,
  },
  result: null,
  timeout_ms: 5_000,
  method: 'POST',
  server: 'https://api.outside.example/v1',
  path: '/shops/{shop}/orders',
  inputs: [
    { argument: 'shop', name: 'shop', in: 'path', style: 'simple', explode: false },
    { argument: 'tags', name: 'tags', in: 'query', style: 'form', explode: true },
  ],
  body: { argument: 'body', media: 'application/json' },
  credentials: [
    { in: 'header', name: 'authorization', prefix: 'Bearer ', secret: 'SHOP' },
    { in: 'query', name: 'key', prefix: '', secret: 'SHOP' },
  ],
  idempotency_header: 'Idempotency-Key',
};
const ARGS = { shop: 'a/b', tags: ['x y', 'z'], body: { amount: 5 } };

async function call(
  tool: HttpTool = ORDER,
  args: Record<string, unknown> = ARGS,
  secrets: Record<string, string> = { SHOP: SECRET },
  output_bytes = 200_000,
) {
  const definition = httpDefinition(tool);
  const net: Redemption['net'] = [[{ domain: '*.outside.example', methods: ['GET', 'POST', 'DELETE'] }]];
  const message = on.kernel.order(tool.tool_id, args, on.root, {
    definition,
    redemption: {
      net,
      cli_tool: tool,
      limits: { ...definition.limits, output_bytes },
      secrets: Object.fromEntries(
        Object.entries(secrets).map(([name, value]) => [`${RESOURCE_SECRET_PREFIX}${name}`, value]),
      ),
    },
  });
  const runner = new BrokerRunner(on.kernel.blobs, on.gate(), () => performance.now());
  expect(await on.kernel.executor([runner]).run(message, 'broker')).toBe('reported');
  return on.kernel.reports.at(-1)!;
}
const answers = (status: number, body: string, media = 'application/json', more: Record<string, string> = {}): void => {
  on.outside.answer = (_request, response) =>
    void response.writeHead(status, { 'content-type': media, ...more }).end(body);
};

it('a call sends exactly one request, with its credentials and the id of its operation', async () => {
  answers(201, '{"id":7}');
  const report = await call();
  expect(report).toMatchObject({
    ended: 'exited',
    result: { status: 201, body: { id: 7 }, encoding: 'json', truncated: false },
  });
  expect(on.outside.received).toHaveLength(1);
  expect(on.outside.received[0]).toMatchObject({
    method: 'POST',
    host: 'api.outside.example',
    url: `/v1/shops/a%2Fb/orders?tags=x%20y&tags=z&key=${SECRET}`,
    body: '{"amount":5}',
    headers: {
      authorization: `Bearer ${SECRET}`,
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^op_/) as unknown,
    },
  });
});

it('no report has a credential, neither of the request nor of an answer that repeats it', async () => {
  answers(200, JSON.stringify({ echo: `Bearer ${SECRET}` }));
  const report = await call();
  expect(JSON.stringify(report)).not.toContain(SECRET);
  expect(report.requests).toMatchObject([
    { method: 'POST', target: 'https://api.outside.example/v1/shops/a%2Fb/orders?tags=x%20y&tags=z' },
  ]);
});

it.each([
  [404, 'api.refused', '{"why":"no shop"}', 'application/json', { why: 'no shop' }],
  [302, 'api.failed', '', 'text/html', null],
  [408, 'api.failed', '{"why":"slow"}', 'application/json', { why: 'slow' }],
  // The call has an idempotency key, so this may be about the same request.
  [409, 'api.failed', '{"why":"under way"}', 'application/json', { why: 'under way' }],
  [429, 'api.refused', '{"why":"busy"}', 'application/json', { why: 'busy' }],
  [500, 'api.failed', 'broken', 'text/plain', 'broken'],
] as const)(
  'an answer of %d is a failed call (`%s`) that shows its body, and nothing is followed',
  async (status, code, body, media, shown) => {
    answers(status, body, media, { location: 'https://other.outside.example/' });
    expect(await call()).toMatchObject({ ended: 'failed', error: { code }, result: { status, body: shown } });
    expect(on.outside.received).toHaveLength(1);
  },
);

it.each([
  ['text that says it is JSON', '{"a":', 'application/json', '{"a":', 'utf8'],
  ['a name twice', '{"a":1,"a":2}', 'application/json', '{"a":1,"a":2}', 'utf8'],
  ['a NUL', '{"a":"\\u0000"}', 'application/json', '{"a":"\\u0000"}', 'utf8'],
  ['JSON of a type of its own', '[1]', 'application/problem+json; charset=utf-8', [1], 'json'],
  ['JSON that says it is text', '[1]', 'text/plain', '[1]', 'utf8'],
])('a body is %s', async (_what, body, media, shown, encoding) => {
  answers(200, body, media);
  expect(await call()).toMatchObject({ ended: 'exited', result: { body: shown, encoding } });
});

it('a body that is longer than the call may return is cut, and is then text', async () => {
  answers(200, JSON.stringify(['x'.repeat(3_000)]));
  const { result } = await call(ORDER, ARGS, { SHOP: SECRET }, 1_000);
  expect(result).toMatchObject({ truncated: true, encoding: 'utf8', size: 1_000 });
});

it('a long JSON body is read on a thread', async () => {
  const numbers = Array.from({ length: 8_000 }, (_, n) => n);
  answers(200, JSON.stringify(numbers));
  expect(await call()).toMatchObject({ result: { body: numbers, encoding: 'json' } });
});

it('credentials go over TLS alone, and a value that no header can hold is not sent', async () => {
  const clear = { ...ORDER, server: 'http://api.outside.example', credentials: ORDER.credentials.slice(0, 1) };
  expect(await call(clear)).toMatchObject({ ended: 'failed', error: { code: 'egress.refused' } });
  expect(await call(ORDER, ARGS, { SHOP: 'a\r\nb: c' })).toMatchObject({ error: { code: 'egress.refused' } });
  expect(on.outside.received).toEqual([]);
});

it('a request that may change something is announced before it leaves; one that reads is not', async () => {
  answers(200, '{}');
  let announced = 0;
  const accept = on.kernel.onEffect;
  on.kernel.onEffect = (message) => {
    announced += 1;
    return accept(message);
  };
  await call();
  expect(announced).toBe(1);
  const reads: HttpTool = {
    ...ORDER,
    category: 'read',
    method: 'GET',
    body: null,
    idempotency_header: null,
    parameters: { ...ORDER.parameters, properties: { shop: {}, tags: {} } },
  };
  await call(reads, { shop: 'a' });
  expect([announced, on.outside.received.length]).toEqual([1, 2]);
});
