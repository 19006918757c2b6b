// SPDX-License-Identifier: Apache-2.0
import { openTestApi, PLATFORM_KEY, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
});
afterAll(() => api.close());

const whoami = async (key: string) => (await api.ask('GET', '/v1/whoami', { key })).json;

it('says of each key its tenant, its role and its agent', async () => {
  for (const role of ['admin', 'operator', 'auditor', 'worker'] as const)
    expect(await whoami(tenant[role])).toMatchObject({
      kind: 'api_key',
      tenant_id: tenant.tenantId,
      api_key_id: expect.stringMatching(/^key_/),
      role,
      agent_id: null,
      scopes: null,
      expires_at: null,
      capability_token_id: null,
    });
  expect(await whoami(tenant.agent)).toMatchObject({ role: 'agent', agent_id: tenant.agentId });
  expect(await whoami(tenant.worker)).toMatchObject({ tools: expect.any(Array) });
});

it('says of the platform key that it belongs to no tenant', async () => {
  expect(await whoami(PLATFORM_KEY)).toMatchObject({ kind: 'platform', tenant_id: null, role: null });
});

it('says nothing without a key', async () => {
  expect((await api.ask('GET', '/v1/whoami')).json).toMatchObject({ code: 'auth.missing' });
});
