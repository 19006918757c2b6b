// SPDX-License-Identifier: Apache-2.0
import { limitsOf } from '../../specs/tenant-fixture.ts';
import { openTestApi, PLATFORM_KEY, type TestApi } from '../../specs/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const CLOSED = {
  name: 'one',
  state: 'closed',
  created_at: 1,
  closed_at: 2,
  closed_by: 'platform',
  close_reason: 'over',
};
const statusOf = async (key: string): Promise<number> => (await api.ask('GET', '/v1/agents', { key })).status;
const untilRefused = async (key: string): Promise<string> => {
  // If it is never refused, the test times out.
  for (;;) {
    const { status, json } = await api.ask('GET', '/v1/agents', { key });
    if (status !== 200) return json['code'] as string;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

test('the keys of a tenant are revoked once the kernel has closed it, and those of no other', async () => {
  const [over, other] = [await api.newTenant(), await api.newTenant()];
  const asked: unknown[] = [];
  api.kernel.handlers.set('tenant.close', (_caller, request) => {
    asked.push(request);
    return { tenant_id: over.tenantId, ...CLOSED };
  });
  const path = `/v1/tenants/${over.tenantId}/close`;
  expect((await api.ask('POST', path, { key: PLATFORM_KEY, body: {} })).json).toMatchObject({
    code: 'request.malformed',
  });
  const closed = await api.ask('POST', path, { key: PLATFORM_KEY, body: { reason: 'over' } });
  expect([closed.status, closed.json]).toEqual([200, { tenant_id: over.tenantId, ...CLOSED }]);
  expect(asked).toMatchObject([{ tenant_id: over.tenantId, reason: 'over' }]);
  for (const key of [over.admin, over.operator, over.agent]) expect(await untilRefused(key)).toBe('auth.invalid');
  expect(await statusOf(other.admin)).toBe(200);
});

test('keys stay where the kernel did not close the tenant', async () => {
  const tenant = await api.newTenant();
  api.kernel.keep(tenant.tenantId, tenant.tenantId, 'tenant', {});
  api.kernel.handlers.set('tenant.close', () => ({ tenant_id: tenant.tenantId, ...CLOSED, state: 'open' }));
  await api.ask('POST', `/v1/tenants/${tenant.tenantId}/close`, { key: PLATFORM_KEY, body: { reason: 'over' } });
  expect(await statusOf(tenant.admin)).toBe(200);
});

test('a replica refuses every credential of a tenant that was closed at another one', async () => {
  const [over, other] = [await api.newTenant(), await api.newTenant()];
  expect(await statusOf(over.operator)).toBe(200);
  api.kernel.limits = [{ ...limitsOf(over.tenantId), changed_at: 1, closed: true }];
  expect(await untilRefused(over.operator)).toBe('tenant.closed');
  expect(await statusOf(other.operator)).toBe(200);
});

test('records are read with the platform key of closed tenants alone', async () => {
  const { tenantId, admin } = await api.newTenant();
  api.kernel.handlers.set('tenant.read', () => ({ tenant_id: tenantId, ...CLOSED, state: 'open' }));
  for (const path of [`/v1/tenants/${tenantId}/records`, `/v1/tenants/${tenantId}/records/0/receipt`]) {
    expect((await api.ask('GET', path, { key: PLATFORM_KEY })).json).toMatchObject({ code: 'conflict' });
    expect((await api.ask('GET', path, { key: admin })).json).toMatchObject({ code: 'auth.role' });
  }
});
