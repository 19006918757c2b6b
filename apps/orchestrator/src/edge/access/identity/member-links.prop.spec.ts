// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import fc from 'fast-check';
import { FakeApiKeys } from '../../../specs/fake-api-keys.ts';
import { FakeIdentities } from '../../../specs/fake-identities.ts';
import { FakeMembers } from '../../../specs/fake-members.ts';
import { newKey } from '../../../store/keys/api-keys.contract.ts';
import { ROLES } from '../../../store/keys/roles.ts';
import { registration } from '../../../store/sign-ins/sign-ins.contract.ts';
import { IdentityHashes } from '../oauth/person-links.ts';
import { MemberLinks } from './member-links.ts';
import { MemberSeal } from './member-seal.ts';
import { rolesOf } from './roles.ts';

const KEY = Buffer.alloc(32, 1);
const name = fc.constantFrom('a', 'b', 'c');
const role = fc.constantFrom(...ROLES);
const mapping = fc.record({
  scopes: fc.array(fc.record({ scope: name, role }), { maxLength: 3 }),
  groups: fc.array(fc.record({ group: name, role }), { maxLength: 3 }),
});
const step = fc.oneof(
  fc.record({ role: fc.option(role) }),
  fc.record({ state: fc.constantFrom('active', 'suspended') }),
);

it('a member has the roles of scopes, of groups and of their own, and none at all while suspended', async () => {
  await fc.assert(
    fc.asyncProperty(
      mapping,
      fc.record({ scopes: fc.uniqueArray(name), groups: fc.uniqueArray(name) }),
      fc.array(step, { maxLength: 6 }),
      async (registered, given, steps) => {
        const [tenantId, person, keys] = [newId('tenant'), newId('person'), new FakeApiKeys()];
        const identities = new FakeIdentities(keys);
        const store = new FakeMembers(keys, identities);
        await keys.create(tenantId, newKey());
        const { provider_id: providerId, issuer } = await identities.put(tenantId, registration(), 20);
        let at = 0;
        const parts = { members: store, hashes: new IdentityHashes(KEY), seal: new MemberSeal(KEY) };
        const links = new MemberLinks({ ...parts, monotonic: () => at });
        const { member_id } = await links.vouch({ tenantId, providerId, issuer, subject: 'ann', name: null, person });
        let own: (typeof ROLES)[number] | null = null;
        let state = 'active';
        for (const change of steps) {
          await store.change(tenantId, member_id, { ...change, by: 'key_x' }, async () => undefined);
          if ('role' in change) own = change.role;
          else ({ state } = change);
          at += 1_000;
          const member = links.activeOf(tenantId, issuer, 'ann');
          if (state === 'suspended') {
            await expect(member).rejects.toMatchObject({ code: 'auth.invalid' });
            continue;
          }
          const roles = rolesOf(given, registered, (await member)?.role ?? null);
          const sources = new Set([...rolesOf(given, registered), ...(own === null ? [] : [own])]);
          expect([...roles].sort()).toEqual([...sources].sort());
        }
      },
    ),
    { numRuns: 60 },
  );
});
