// SPDX-License-Identifier: Apache-2.0
import { limitsOf, UNBOUND } from '../../specs/tenant-fixture.ts';
import { openTestApi, PLATFORM_KEY, type TestApi } from '../../specs/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const statusesOf = async (key: string, count: number): Promise<number[]> =>
  await Promise.all(Array.from({ length: count }, async () => (await api.ask('GET', '/v1/tools', { key })).status));

test('a rate that was set for a tenant soon takes effect, and for no other tenant', async () => {
  const [slow, other] = [await api.newTenant(), await api.newTenant()];
  expect(await statusesOf(slow.agent, 5)).toEqual(Array(5).fill(200));
  api.kernel.limits = [{ ...limitsOf(slow.tenantId), requests_per_second: 1, request_burst: 1, changed_at: 1 }];
  // If the limit never takes effect, the test times out.
  while (!(await statusesOf(slow.agent, 5)).includes(429)) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await statusesOf(other.agent, 5)).toEqual(Array(5).fill(200));
});

test('limits are set with the platform key, one by one, within their bounds', async () => {
  const { tenantId, admin } = await api.newTenant();
  api.kernel.keep(tenantId, tenantId, 'limits', { ...limitsOf(tenantId), ...UNBOUND });
  const set = (body: unknown, key = PLATFORM_KEY) => api.ask('PATCH', `/v1/tenants/${tenantId}/limits`, { key, body });
  expect(await set({ weight: 3, request_burst: null })).toMatchObject({ status: 200, json: { tenant_id: tenantId } });
  expect(api.kernel.requests.at(-1)).toMatchObject({
    verb: 'tenant.limits.set',
    request: { tenant_id: tenantId, change: { weight: 3, request_burst: null } },
  });
  const asked = api.kernel.requests.length;
  for (const wrong of [
    {},
    { weight: 0 },
    { weight: null },
    { running_max: 1.5 },
    { waiting_max: 2_000_000 },
    { requests_per_second: '5' },
    { cap: 3 },
  ]) {
    expect([wrong, (await set(wrong)).json['code']]).toEqual([wrong, 'request.malformed']);
  }
  expect((await set({ weight: 3 }, admin)).json['code']).toBe('auth.role');
  expect(api.kernel.requests).toHaveLength(asked);
});
