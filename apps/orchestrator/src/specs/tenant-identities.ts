// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { IdentityHashes, PersonLinks } from '../edge/access/oauth/person-links.ts';
import { TEST_CONFIG, type TestApi, type TestTenant } from './test-api.ts';

/** An issuer of the tenant, and the person `ann`. */
export async function keepIdentities({ identities, kernel }: TestApi, { tenantId, ...keys }: TestTenant) {
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
  for (const key of [keys.admin, keys.operator, keys.agent, keys.auditor])
    identities.vouch(tenantId, key, other.provider_id);
  const link = new PersonLinks(identities, hashes, () => 0).linkOf(tenantId, { principal: 'ann' });
  return { provider, person_id: await identities.personOf(tenantId, link, newId('person')) };
}
