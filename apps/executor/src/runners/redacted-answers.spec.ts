// SPDX-License-Identifier: Apache-2.0
// What an executor reports of an API's answer of which the policy redacts members.
import { FS_READ, type HttpTool } from '@writ/contract';
import { httpDefinition } from '@writ/http-tool';
import { EgressFixture } from '../specs/egress-fixture.ts';
import { BrokerRunner } from './broker-runner.ts';
import { InlineRunner } from './inline-runner.ts';

let on: EgressFixture;
beforeEach(async () => {
  on = await EgressFixture.open();
});
afterEach(async () => await on.close());

const CANARY = 'canary-77d1-of-an-api';
const LOOK_UP: HttpTool = {
  v: 1,
  kind: 'http',
  tool_id: 'api.crm.lookUp',
  version: 1,
  description: 'Looks a customer up.',
  category: 'read',
  parameters: { type: 'object' },
  result: null,
  timeout_ms: 5_000,
  method: 'GET',
  server: 'https://api.outside.example/v1',
  path: '/customers',
  inputs: [],
  body: null,
  credentials: [],
  idempotency_header: null,
};

async function call(redact: string[]) {
  const definition = httpDefinition(LOOK_UP);
  const message = on.kernel.order(LOOK_UP.tool_id, {}, on.root, {
    definition,
    redemption: {
      net: [[{ domain: '*.outside.example', methods: ['GET'] }]],
      cli_tool: LOOK_UP,
      limits: { ...definition.limits },
      redact,
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

it('an answer is reported without the members that the kernel orders to redact', async () => {
  answers(200, JSON.stringify({ customer: { email: CANARY, name: 'n' }, items: [{ iban: CANARY }] }), undefined, {
    'x-customer': CANARY,
  });
  const report = await call(['/body/customer/email', '/body/items/*/iban', '/headers/x-customer']);
  expect(report.result).toMatchObject({
    status: 200,
    headers: { 'x-customer': '[redacted]' },
    body: { customer: { email: '[redacted]', name: 'n' }, items: [{ iban: '[redacted]' }] },
  });
  expect(JSON.stringify(report)).not.toContain(CANARY);
});

it.each([
  ['is a text', 200, `<p>${CANARY}</p>`, 'text/html'],
  ['is broken JSON', 200, `{"customer":{"email":"${CANARY}"`, 'application/json'],
  ['is JSON that is sent as text', 200, JSON.stringify({ customer: { email: CANARY } }), 'text/plain'],
  ['has a member twice', 200, `{"customer":1,"customer":{"email":"${CANARY}"}}`, 'application/json'],
  ['is another form of JSON', 200, JSON.stringify([{ customer: { email: CANARY } }]), 'application/json'],
  ['is a failure', 404, JSON.stringify({ message: `no ${CANARY}` }), 'application/problem+json'],
  ['is a failure of the server', 500, `broken at ${CANARY}`, 'text/plain'],
])('an answer that %s shows none of it', async (_what, status, body, media) => {
  answers(status, body, media);
  const report = await call(['/body/customer/email']);
  expect(report.result).toMatchObject({ status, body: '[redacted]' });
  expect(JSON.stringify(report)).not.toContain(CANARY);
});

it('a long answer is stored without them, and its hash is of what is stored', async () => {
  const items = Array.from({ length: 3_000 }, (_, n) => ({ iban: `${CANARY}-${n}`, n }));
  answers(200, JSON.stringify({ items }));
  const { result, result_ref: ref, ...report } = await call(['/body/items/*/iban']);
  expect([result, ref === null]).toEqual([null, false]);
  const stored = Buffer.from(await on.kernel.blobs.get(report.tenant_id, ref?.sha256 ?? '')).toString();
  expect(stored).toContain('"iban":"[redacted]"');
  expect(stored).not.toContain(CANARY);
});

it('a tool whose result is no such JSON does not run under such an order', async () => {
  const message = on.kernel.order(FS_READ.tool_id, { path: 'a.txt' }, on.root, {
    redemption: { redact: ['/content'] },
  });
  await on.kernel.executor([new InlineRunner(on.kernel.blobs, () => performance.now())]).run(message, 'inline');
  expect(on.kernel.reports.at(-1)).toMatchObject({ ended: 'invalid', error: { code: 'permit.invalid' }, result: null });
});
