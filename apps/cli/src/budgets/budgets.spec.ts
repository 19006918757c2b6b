// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const BUDGET = {
  budget_id: `bgt_0${'1'.repeat(25)}`,
  subject: { kind: 'person', id: 'ann' },
  period: 'month',
  measure: 'cost',
  currency: 'EUR',
  limit: 25_500_000,
  used: 1_250_000,
  starts_at: Date.parse('2026-12-01'),
  resets_at: Date.parse('2027-01-01'),
  created_at: 1,
  created_by: 'key_1',
  changed_at: 1,
  changed_by: 'key_1',
};

let api: FakeApi;
beforeEach(async () => {
  api = await fakeApi(({ method, url }) => ({
    body: method === 'GET' && url.startsWith('/v1/budgets?') ? { items: [BUDGET], next_cursor: null } : BUDGET,
  }));
});
afterEach(() => api.close());
const run = (...args: string[]) => writ(['budget', ...args], { env: api.env });
const sent = () => api.requests.at(-1)!;

test('`writ budget list` shows use and limit in the currency, and when it resets', async () => {
  expect(await run('list')).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/person ann +cost +month +1\.25 EUR +25\.50 EUR +2027-01-01/) as string,
  });
});

test('`writ budget set` names the subject, the period, the measure and the limit', async () => {
  expect((await run('set', '500', '--agent', 'agt_1', '--per', 'day')).exit).toBe(0);
  expect([sent().method, JSON.parse(sent().body)]).toEqual([
    'PUT',
    { subject: { kind: 'agent', id: 'agt_1' }, period: 'day', measure: 'calls', currency: null, limit: 500 },
  ]);
  await run('set', '25.50', '--person', 'ann', '--of', 'cost', '--currency', 'EUR');
  expect(JSON.parse(sent().body)).toMatchObject({ measure: 'cost', currency: 'EUR', limit: 25_500_000 });
});

test.each([
  [['set', '-1']],
  [['set', '1.5']],
  [['set', '5', '--of', 'cost']],
  [['set', '5', '--currency', 'EUR']],
  [['set', '5', '--agent', 'agt_1', '--person', 'ann']],
])('`writ budget %j` is a usage error, and nothing is sent', async (args) => {
  expect((await run(...args)).exit).toBe(2);
  expect(api.requests).toEqual([]);
});

test('`writ budget delete` deletes the named one', async () => {
  expect(await run('delete', BUDGET.budget_id)).toMatchObject({ exit: 0, out: `deleted ${BUDGET.budget_id}\n` });
  expect([sent().method, sent().url]).toEqual(['DELETE', `/v1/budgets/${BUDGET.budget_id}`]);
});
