// SPDX-License-Identifier: Apache-2.0
// An expansion shows what its route shows, to whom its route shows it. Each combination of roles, scopes, tenants,
// routes and expansions is compared with the answer of the route itself.
import { Fault } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { scopeOf } from '../edge/access/scopes.ts';
import { askedExpansions, expanded } from '../edge/expansions/expansions.ts';
import { EXPANDED_ROWS_MAX, KEY_ROLES, type RouteRow } from '../edge/requests/route.ts';
import { createFixture, type Fixture } from '../specs/tenant-fixture.ts';
import { openTestApi, problem, type TestApi, type TestTenant } from '../specs/test-api.ts';
import { ROUTES } from './routes.ts';

const ADMIN = { api_key_id: newId('apiKey'), role: 'admin', agent_id: null } as const;
type Item = Record<string, unknown>;

let api: TestApi;
let tenants: { tenant: TestTenant; has: Fixture }[];

beforeAll(async () => {
  api = await openTestApi();
  tenants = [];
  for (let n = 0; n < 2; n += 1) {
    const tenant = await api.newTenant();
    const has = await createFixture(api, tenant);
    const { kernel } = api;
    const operation = kernel.find({ ...ADMIN, tenant_id: tenant.tenantId }, has.operation_id) as Item;
    kernel.keep(tenant.tenantId, has.operation_id, 'operation', { ...operation, approval_id: has.approval_id });
    tenants.push({ tenant, has });
  }
});
afterAll(() => api.close());

const rowOf = (id: string): RouteRow => ROUTES.find((row) => row.id === id)!;
const expandable = ROUTES.filter(({ expands }) => expands !== undefined);
const cases = expandable.flatMap((row) => Object.keys(row.expands ?? {}).map((name) => ({ row, name })));
const fill = (path: string, ids: Record<string, string>): string =>
  path.replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => ids[name] ?? 'missing');

/** Keys of every role: without scopes, with that of the route alone, and with that of the expanded route, too. */
async function* keysFor(tenant: TestTenant, row: RouteRow, other: RouteRow): AsyncGenerator<readonly [string, string]> {
  for (const role of KEY_ROLES)
    for (const scopes of [[], [scopeOf(row)], [scopeOf(row), scopeOf(other)]]) {
      const body = {
        ...{ name: 'one', role, scopes: [...new Set(scopes)] },
        ...(role === 'agent' ? { agent_id: tenant.agentId } : {}),
        ...(role === 'worker' ? { tools: ['billing.*'] } : {}),
      };
      const { api_key } = (await api.ask('POST', '/v1/api-keys', { key: tenant.admin, body })).json;
      yield [`${role} with ${scopes.join(' ')}`, String(api_key)];
    }
}

test.each(cases.map(({ row, name }) => [row.id, name] as const))(
  '`%s` expands `%s` for whom its own route shows it, of their tenant, and for nobody else',
  async (id, name) => {
    const row = rowOf(id);
    const { route, param, member = param, shows } = row.expands![name]!;
    let shown = 0;
    for (const { tenant } of tenants)
      for (const { has } of tenants)
        for await (const [who, key] of keysFor(tenant, row, rowOf(route))) {
          const path = fill(row.path, has);
          const plain = await api.ask('GET', path, { key });
          const answer = await api.ask('GET', `${path}?expand=${name}`, { key });
          const other = rowOf(route);
          const own = async (value: string) => {
            const target = other.path.includes(`{${param}}`)
              ? fill(other.path, { [param]: value })
              : `${other.path}?${param}=${value}`;
            return await api.ask('GET', target, { key });
          };
          if (plain.status !== 200) {
            expect([who, answer.status]).toEqual([
              who,
              expect.toSatisfy((status) => [plain.status, 403].includes(status as number)),
            ]);
            continue;
          }
          const items = (plain.json['items'] as Item[] | undefined) ?? [plain.json];
          const answers = await Promise.all(items.map((item) => own(String(item[member]))));
          if (answers.some(({ status }) => status === 403)) {
            expect([who, answer.status, Object.keys(answer.json)]).toEqual([
              who,
              403,
              expect.not.arrayContaining(['expanded']),
            ]);
            continue;
          }
          expect([who, answer.status]).toEqual([who, 200]);
          const with_ = (answer.json['items'] as Item[] | undefined) ?? [answer.json];
          for (const [at, item] of with_.entries()) {
            const { status, json } = answers[at]!;
            const value = status === 200 ? (shows === undefined ? json : json[shows]) : null;
            expect([who, item]).toEqual([who, { ...items[at], expanded: { [name]: value } }]);
            if (value !== null) shown += 1;
          }
        }
    expect(shown).toBeGreaterThan(0);
  },
);

test('an unknown expansion, an empty one and a repeated parameter are refused, and the answer names those that there are', async () => {
  for (const { path, expands } of expandable) {
    const { tenant, has } = tenants[0]!;
    const names = Object.keys(expands ?? {}).join('`, `');
    for (const wrong of ['nothing', '', `${Object.keys(expands ?? {})[0] ?? ''},`, 'constructor', '__proto__']) {
      const answer = await api.ask('GET', `${fill(path, has)}?expand=${wrong}`, { key: tenant.admin });
      expect(answer.json).toEqual(problem('query.invalid', 400));
      expect(answer.json['detail']).toContain(`this route expands \`${names}\``);
    }
    const [name = ''] = Object.keys(expands ?? {});
    const twice = await api.ask('GET', `${fill(path, has)}?expand=${name}&expand=${name}`, { key: tenant.admin });
    expect(twice.json).toEqual(problem('query.invalid', 400));
  }
});

test('a page with expansions is bounded', async () => {
  const { tenant } = tenants[0]!;
  const page = (limit: number) =>
    api.ask('GET', `/v1/operations?expand=receipt&limit=${String(limit)}`, { key: tenant.admin });
  expect((await page(EXPANDED_ROWS_MAX + 1)).json).toEqual(problem('query.invalid', 400));
  expect((await page(EXPANDED_ROWS_MAX)).status).toBe(200);
});

test('what several items name is read once, each reading is charged, and no more than eight are under way', async () => {
  const [reads, charged] = [[] as string[], [] as number[]];
  let [underWay, most] = [0, 0];
  const of = { agent: { route: 'readAgent', param: 'agent_id' } };
  const items = Array.from({ length: 40 }, (_, n) => ({ agent_id: `a${String(n % 20)}` }));
  const answer = (await expanded(
    { items, next_cursor: null },
    { names: ['agent'], of },
    async (route, { agent_id = '' }) => {
      reads.push(`${route} ${agent_id}`);
      most = Math.max(most, (underWay += 1));
      await new Promise(setImmediate);
      underWay -= 1;
      return { name: agent_id };
    },
    (requests) => charged.push(requests),
  )) as { items: Item[] };
  expect([new Set(reads).size, reads.length, charged, most]).toEqual([20, 20, [20], 8]);
  expect(answer.items[39]).toEqual({ agent_id: 'a19', expanded: { agent: { name: 'a19' } } });
});

test('a fault of an expansion that does not say that nothing is there ends the request', async () => {
  const { tenant, has } = tenants[0]!;
  const path = `/v1/operations/${has.operation_id}?expand=approval`;
  const { handlers } = api.kernel;
  const reads = handlers.get('approval.read')!;
  handlers.set('approval.read', () => {
    throw new Fault('overloaded');
  });
  expect((await api.ask('GET', path, { key: tenant.admin })).json).toEqual(problem('overloaded', 503));
  handlers.set('approval.read', reads);
  expect((await api.ask('GET', path, { key: tenant.admin })).status).toBe(200);
});

test('each expansion names a route that there is, by a parameter that it has', () => {
  for (const { row, name } of cases) {
    const { route, param } = row.expands![name]!;
    const other = rowOf(route);
    expect([other.method, Object.keys({ ...other.params, ...other.query?.properties })]).toEqual([
      'GET',
      expect.arrayContaining([param]),
    ]);
    expect(askedExpansions(row, { expand: name })?.names).toEqual([name]);
    for (const fault of other.expands === undefined ? (other.faults ?? []) : [])
      if (!['not_found', 'receipt.pending', ...(row.faults ?? [])].includes(fault))
        throw new Error(`\`${row.id}\` expands \`${name}\`, and does not name its fault \`${fault}\``);
  }
});
