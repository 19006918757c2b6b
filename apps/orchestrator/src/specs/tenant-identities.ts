// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { IdentityHashes, PersonLinks } from '../edge/access/oauth/person-links.ts';
import { DeviceApprovals } from '../edge/access/sign-in/device-approvals.ts';
import type { NewSignIn } from '../store/sign-ins/sign-ins.ts';
import { TEST_CONFIG, type TestApi, type TestTenant } from './test-api.ts';

/** An issuer of the tenant, the person `ann`, and an open invitation. */
export async function keepIdentities(api: TestApi, { tenantId, ...keys }: TestTenant) {
  const { identities, kernel } = api;
  kernel.handlers.set('change.record', () => ({ recorded: newId('record') }));
  const hashes = new IdentityHashes(TEST_CONFIG.webhookKey);
  const provider = tenantId.replace('_', '-');
  const row = {
    provider_id: newId('identityProvider'),
    name: provider,
    issuer: `https://${provider}.example.org`,
    audience: 'https://writ.example.org',
    tenant_claim: null,
    tenant_value: null,
    scopes: [{ scope: 'writ:admin', role: 'admin' }],
    groups_claim: null,
    groups: [],
    person_claim: null,
    agent_id: null,
    agent_claim: null,
    sign_in: { client_id: 'writ' },
    hash_key_id: hashes.keyId,
    created_by: newId('apiKey'),
    confirmed: true,
  } as const;
  await identities.put(tenantId, row, 20);
  // Each key of the tenant is a credential of somebody, so that it may do what only persons may.
  const other = { ...row, provider_id: newId('identityProvider'), name: 'people', issuer: `${row.issuer}/people` };
  await identities.put(tenantId, other, 20);
  const [subject_hash] = [keys.admin, keys.operator, keys.agent, keys.auditor].map((key) =>
    identities.vouch(tenantId, key, other.provider_id),
  );
  const link = new PersonLinks(identities, hashes, () => 0).linkOf(tenantId, { principal: 'ann' });
  const person_id = await identities.personOf(tenantId, link, newId('person'));
  const member_id = newId('member');
  const ann = { member_id, kind: 'person', person_id, name: null, sealed: null, role: null } as const;
  await api.members.create(tenantId, { ...ann, created_by: newId('apiKey') }, 'ann', 10, async () => undefined);
  const { invitation_id } = await api.invitations.create(
    tenantId,
    {
      ...{ invitation_id: newId('invitation'), code_hash: Buffer.alloc(32, tenantId), sealed: 'sealed' },
      ...{ address_hash: Buffer.alloc(32), subject_hash: null, provider_id: null, role: 'operator' },
      ...{ created_by: newId('apiKey'), expires_at: Date.now() + 600_000 },
    },
    10,
    async () => undefined,
  );
  const whose = { tenantId, provider_id: other.provider_id, issuer: other.issuer, person_id };
  return {
    provider,
    person_id,
    member_id,
    invitation_id,
    ...(await keepSignIns(api, { ...whose, subject_hash: subject_hash! })),
  };
}

/** A session of the person whom the keys of the tenant are of, and a program that the person approved. */
async function keepSignIns(
  { signIns, deviceAuthorizations }: TestApi,
  of: Pick<NewSignIn, 'provider_id' | 'person_id' | 'subject_hash'> & { tenantId: TenantId; issuer: string },
) {
  const { tenantId, issuer, ...whose } = of;
  const approvals = new DeviceApprovals(TEST_CONFIG.webhookKey);
  const sign_in_id = newId('signIn');
  const credential_id = newId('apiKey');
  const kept = {
    ...whose,
    credential_id,
    scopes: ['writ:admin'],
    groups: [],
    sealed: 'sealed',
    secret_hash: Buffer.alloc(32),
    authenticated_ms: null,
  };
  const browser = { kind: 'browser', client: null, approved_by: null } as const;
  await signIns.create(tenantId, { ...kept, ...browser, sign_in_id }, 600_000);
  const { text: device_code, hash: device_hash } = approvals.newDeviceCode(tenantId);
  const user_code_hash = approvals.userCodeHash(tenantId, approvals.newUserCode());
  const device = { device_hash, user_code_hash, client: 'cli', address: '192.0.2.1' };
  await deviceAuthorizations.create(tenantId, device, { lifetimeMs: 600_000, intervalMs: 0 });
  const sealed = await approvals.seal({
    ...{ tenant_id: tenantId, provider_id: whose.provider_id, subject_hash: whose.subject_hash },
    ...{ scopes: ['writ:admin'], groups: [], approved_by: sign_in_id },
    identity: { issuer, subject: 'ann-1', name: null, agent_id: null, shown: 'Ann' },
    ...{ signed_in_at: Date.now(), expires_at: Date.now() + 600_000 },
  });
  const approval = { approved_by: sign_in_id, person_id: whose.person_id, sealed };
  await deviceAuthorizations.decide(tenantId, user_code_hash, approval);
  return { sign_in_id, device_code };
}
