// SPDX-License-Identifier: Apache-2.0
import { openTestApi, type TestAnswer, type TestApi, type TestTenant } from '../../specs/test-api.ts';

const OPERATION = 'op_01kdvq8qfwe9gr4v9m1h7e3x2z';
const AGENT = 'agt_01kdvq8qfwe9gr4v9m1h7e3x2z';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  api.ledger.logs.set(
    tenant.tenantId,
    ['a', 'b'].map((text) => Buffer.from(text)),
  );
  api.ledger.checkpoints.set(tenant.tenantId, 'note');
});
afterAll(() => api.close());
beforeEach(() => {
  api.ledger.requests.length = 0;
});

const get = (path: string, key = tenant.auditor): Promise<TestAnswer> => api.ask('GET', path, { key });

test("every filter reaches the ledger, for the caller's own tenant", async () => {
  const query = `agent=${AGENT}&tool=fs.read&session=s%2F1&operation=${OPERATION}&type=tool_call&verdict=refused&outcome=no_op&risk_min=0.25&risk_max=1&since=2026-01-31T09:30Z&until=2026-01-31T09:30:00.5Z&resource=wsp_01*&text=policy.denied`;
  expect((await get(`/v1/records?${query}&order=oldest&limit=7&cursor=c`)).json).toEqual({
    items: [],
    next_cursor: null,
    indexed_to: 2,
    tree_size: 2,
  });
  expect(api.ledger.requests).toEqual([
    {
      v: 1,
      tenant_id: tenant.tenantId,
      order: 'oldest',
      limit: 7,
      cursor: 'c',
      filter: {
        agent_id: AGENT,
        tool_id: 'fs.read',
        session_id: 's/1',
        operation_id: OPERATION,
        type: 'tool_call',
        verdict: 'refused',
        outcome: 'no_op',
        risk_min: 0.25,
        risk_max: 1,
        since: 1_769_851_800_000,
        until: 1_769_851_800_500,
        resource: 'wsp_01*',
        text: 'policy.denied',
      },
    },
  ]);
});

test('without parameters the newest fifty are requested', async () => {
  await get('/v1/records');
  expect(api.ledger.requests).toEqual([
    { v: 1, tenant_id: tenant.tenantId, filter: {}, order: 'newest', limit: 50, cursor: null },
  ]);
});

test.each([
  ['agent', 'agent=x'],
  ['operation', 'operation=x'],
  ['type', 'type=x'],
  ['verdict', 'verdict=maybe'],
  ['outcome', 'outcome=x'],
  ['risk_min', 'risk_min=2'],
  ['risk_min', 'risk_min=x'],
  ['risk_max', 'risk_max=-1'],
  ['risk_max', 'risk_min=0.5&risk_max=0.4'],
  ['since', 'since=yesterday'],
  ['since', 'since=2026-13-01T00:00Z'],
  ['until', 'until=1'],
  ['until', 'since=2026-01-02T00:00Z&until=2026-01-01T00:00Z'],
  ['resource', 'resource='],
  ['text', `text=${'x'.repeat(257)}`],
  ['order', 'order=random'],
  ['limit', 'limit=0'],
  ['limit', 'limit=201'],
  ['cursor', 'cursor='],
  ['colour', 'colour=red'],
  ['tool', 'tool=a&tool=b'],
])("a filter that can't be one is refused by its name: %s", async (name, query) => {
  const { status, json } = await get(`/v1/records?${query}`);
  expect([status, json['code']]).toEqual([400, 'query.invalid']);
  expect(json['detail']).toMatch(new RegExp(`\`/?${name}\``));
  expect(api.ledger.requests).toEqual([]);
});

test('a record is shown as it was signed, with the path of its receipt', async () => {
  expect((await get('/v1/records/1')).json).toEqual({
    leaf_index: 1,
    tree_size: 2,
    statement: { place: 1 },
    receipt: '/v1/records/1/receipt',
  });
  const receipt = await get('/v1/records/1/receipt');
  expect([
    receipt.status,
    receipt.headers.get('content-type'),
    (receipt.json['inclusion'] as { leaf_index: number }).leaf_index,
  ]).toEqual([200, 'application/vnd.writ.receipt.v1+json', 1]);
});

test('an invalid leaf index, or one beyond the log, is not found', async () => {
  for (const place of ['2', '01', '-1', '1.5', 'x', '9'.repeat(20)]) {
    for (const path of [`/v1/records/${place}`, `/v1/records/${place}/receipt`])
      expect([path, (await get(path)).json['code']]).toEqual([path, 'not_found']);
  }
});

test("an agent's key reads no records", async () => {
  for (const path of ['/v1/records', '/v1/records/0', '/v1/records/0/receipt'])
    expect((await get(path, tenant.agent)).json).toMatchObject({ status: 403, code: 'auth.role' });
});
