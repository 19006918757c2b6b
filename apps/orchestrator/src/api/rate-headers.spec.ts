// SPDX-License-Identifier: Apache-2.0
// Every answer to a key of a tenant says what is left of its rates, also every refusal.
import { KEY_ROLES, type Role, type RouteRow } from '../edge/requests/route.ts';
import { sampleOf } from '../specs/sample-requests.ts';
import { createFixture, type Fixture } from '../specs/tenant-fixture.ts';
import { openTestApi, type TestAnswer, type TestApi, type TestTenant } from '../specs/test-api.ts';
import { ROUTES } from './routes.ts';

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
});
afterAll(() => api.close());

const rows = ROUTES.filter(({ allowed }) => allowed !== 'public');
const fill = (path: string, ids: Record<string, string>): string =>
  path.replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => ids[name] ?? 'missing');
const rolesOf = ({ allowed }: RouteRow): readonly string[] => (typeof allowed === 'string' ? [] : allowed);

function expectRates(what: readonly unknown[], { headers }: TestAnswer): void {
  expect([...what, headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([
    ...what,
    expect.stringMatching(/^"tenant";q=\d+;w=\d+/),
    expect.stringMatching(/^"tenant";r=\d+;t=\d+/),
  ]);
}

test('problems of every route have the headers, whoever is refused and why', async () => {
  const statuses = new Set<number>();
  for (const row of rows)
    for (const role of KEY_ROLES) {
      const { query: _query, ...sample } = sampleOf(row.id, has);
      const key = tenant[role as Exclude<Role, 'platform'>];
      const asked = [
        // Another role is refused; the right one meets a parameter that the route does not have.
        await api.ask(row.method, `${fill(row.path, has)}?no_such=1`, { ...sample, key }),
        // Ids that are none; and a body that is none, where one is read.
        ...(rolesOf(row).includes(role) && row.path.includes('{')
          ? [await api.ask(row.method, fill(row.path, {}), { ...sample, key })]
          : []),
        ...(rolesOf(row).includes(role) && row.body !== undefined
          ? [
              await api.ask(row.method, fill(row.path, has), {
                key,
                text: '{',
                headers: { 'content-type': 'application/json' },
              }),
              await api.ask(row.method, fill(row.path, has), {
                key,
                text: '{}',
                headers: { 'content-type': 'text/x' },
              }),
            ]
          : []),
      ];
      for (const answer of asked) {
        expect([row.id, role, answer.status >= 400]).toEqual([row.id, role, true]);
        expectRates([row.id, role, answer.status], answer);
        statuses.add(answer.status);
      }
    }
  expect([...statuses].sort()).toEqual([400, 403, 404, 415]);
});

test('faults of parts behind the API, and the refusal of a rate, have the headers', async () => {
  api.kernel.handlers.set('agent.read', () => {
    throw new Error('a bug');
  });
  const bug = await api.ask('GET', `/v1/agents/${has.agent_id}`, { key: tenant.admin });
  expect(bug.status).toBe(500);
  expectRates(['a bug'], bug);
  const slow = await openTestApi({ WRIT_RATE_PER_SECOND: 1, WRIT_RATE_BURST: 1 });
  const other = await slow.newTenant();
  for (const expected of [200, 429]) {
    const answer = await slow.ask('GET', '/v1/agents', { key: other.admin });
    expect(answer.status).toBe(expected);
    expectRates([expected], answer);
  }
  await slow.close();
});
