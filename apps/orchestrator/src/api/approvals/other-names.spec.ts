// SPDX-License-Identifier: Apache-2.0
// One member is one person, whatever its keys call it.
import { newId } from '@writ/nest-kit';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { createFixture } from '../../specs/tenant-fixture.ts';
import { registration } from '../../store/sign-ins/sign-ins.contract.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  api.kernel.handlers.set('change.record', () => ({ recorded: newId('record') }));
});
afterAll(() => api.close());

/** A member whom its issuer calls by one name after the other, with a key under each. */
async function twoNames(): Promise<string[]> {
  const { provider_id } = await api.identities.put(tenant.tenantId, registration(), 20);
  const subject_hash = Buffer.alloc(32, 7);
  const keys: string[] = [];
  for (const principal of ['ann', 'ann.smith']) {
    const body = { name: principal, role: 'operator', principal };
    const { api_key, person_id } = (await api.ask('POST', '/v1/api-keys', { key: tenant.admin, body })).json;
    const me = (await api.ask('GET', '/v1/whoami', { key: String(api_key) })).json;
    await api.members.vouch(tenant.tenantId, {
      ...{ member_id: newId('member'), subject_hash, provider_id, principal, sealed: 'x' },
      person_id: (person_id ?? me['person_id']) as never,
    });
    keys.push(String(api_key));
  }
  return keys;
}

it('whoever looks at a call, on its own or with another object, says under which other names they are known', async () => {
  tenant = await api.newTenant();
  const { approval_id, operation_id } = await createFixture(api, tenant);
  const { kernel } = api;
  const { tenantId } = tenant;
  const admin = { tenant_id: tenantId, api_key_id: newId('apiKey'), role: 'admin', agent_id: null } as const;
  const held = kernel.find(admin, operation_id) as Readonly<Record<string, unknown>>;
  kernel.keep(tenantId, operation_id, 'operation', { ...held, approval_id });
  const [former = ''] = await twoNames();
  for (const path of [`/v1/approvals/${approval_id}`, `/v1/operations/${operation_id}?expand=approval`]) {
    const { status } = await api.ask('GET', path, { key: former });
    const { verb, request } = kernel.requests.at(-1)!;
    expect([path, status, verb, request['other_names']]).toEqual([path, 200, 'approval.read', ['ann.smith']]);
  }
});

it('whoever decides says under which other names they are known', async () => {
  tenant = await api.newTenant();
  const { approval_id, operation_id } = await createFixture(api, tenant);
  api.kernel.handlers.set('operation.resolve', (caller) => api.kernel.find(caller, operation_id));
  const [former = '', present = ''] = await twoNames();
  const said = async (key: string, path: string, body: object) => {
    const answer = await api.ask('POST', path, { key, body });
    expect([path, answer.status]).toEqual([path, 200]);
    return api.kernel.requests.at(-1)?.request['other_names'];
  };
  const at = (verb: string) => `/v1/approvals/${approval_id}/${verb}`;
  for (const [path, body] of [
    [at('approve'), {}],
    [at('deny'), {}],
    [at('edit'), { args: {} }],
    [at('value'), { value: 'x' }],
    [`/v1/operations/${operation_id}/resolve`, { outcome: 'committed', note: 'seen' }],
  ] as const) {
    expect(await said(former, path, body)).toEqual(['ann.smith']);
    expect(await said(present, path, body)).toEqual(['ann']);
    expect(await said(tenant.admin, path, body)).toBeUndefined();
  }
});
