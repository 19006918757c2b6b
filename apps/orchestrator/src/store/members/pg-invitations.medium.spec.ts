// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { PgIdentities } from '../identities/pg-identities.ts';
import { newKey } from '../keys/api-keys.contract.ts';
import { PrismaApiKeys } from '../keys/prisma-api-keys.ts';
import { registration } from '../sign-ins/sign-ins.contract.ts';
import { invitationsContract } from './invitations.contract.ts';
import { OVER_MS } from './invitations.ts';
import { PgInvitations } from './pg-invitations.ts';
import { PgMembers } from './pg-members.ts';
import { PgOffboardings } from './pg-offboardings.ts';

let store: TestStore;
let keys: PrismaApiKeys;
let identities: PgIdentities;
let members: PgMembers;
let offboardings: PgOffboardings;
let invitations: PgInvitations;
beforeAll(async () => {
  store = await testStore();
  keys = new PrismaApiKeys(store.pool);
  [identities, members] = [new PgIdentities(store.pool), new PgMembers(store.pool)];
  [offboardings, invitations] = [new PgOffboardings(store.pool), new PgInvitations(store.pool)];
}, 120_000);
afterAll(async () => {
  await keys.close();
  await store.drop();
});

describe('in Postgres', () => invitationsContract(() => ({ invitations, members, offboardings, keys, identities })));

const nothing = async (): Promise<void> => undefined;
async function invited(more: { expires_at?: number } = {}) {
  const tenant = newId('tenant');
  const { api_key_id: created_by } = await keys.create(tenant, newKey());
  await keys.create(tenant, newKey({ hash: randomBytes(32) }));
  const { provider_id } = await identities.put(tenant, registration(), 20);
  const [code_hash, address_hash] = [randomBytes(32), randomBytes(32)];
  const made = {
    ...{ invitation_id: newId('invitation'), code_hash, address_hash, subject_hash: null, provider_id: null },
    ...{ sealed: 'sealed', role: 'operator' as const, created_by, expires_at: Date.now() + 60_000, ...more },
  } as const;
  await invitations.create(tenant, made, 10, nothing);
  const person_id = await identities.personOf(tenant, randomBytes(32), newId('person'));
  const vouched = {
    ...{ member_id: newId('member'), subject_hash: randomBytes(32), provider_id, person_id },
    ...{ principal: 'ann', sealed: 'sealed' },
  };
  return { tenant, made, vouched, invitee: { code_hash, address_hash, vouched } };
}

it('an invitation is accepted wholly before its inviter is suspended, or not at all', async () => {
  for (let round = 0; round < 15; round++) {
    const { tenant, made, vouched, invitee } = await invited();
    const inviter = { ...vouched, member_id: newId('member'), person_id: newId('person'), principal: 'boss' };
    const subject_hash = randomBytes(32);
    const boss = await members.vouch(tenant, { ...inviter, subject_hash });
    const key = newKey({ hash: randomBytes(32), principal: 'boss', person_id: inviter.person_id });
    const { api_key_id: created_by } = await keys.create(tenant, key);
    const own = { ...made, invitation_id: newId('invitation'), code_hash: randomBytes(32), created_by };
    await invitations.create(tenant, own, 10, nothing);
    const suspend = { state: 'suspended', by: 'key_x' } as const;
    const [isAccepted] = await Promise.all([
      invitations.accept(tenant, { ...invitee, code_hash: own.code_hash }, nothing),
      members.change(tenant, boss?.member_id ?? '', suspend, nothing),
    ]);
    const { state } = (await invitations.read(tenant, own.invitation_id)) ?? {};
    expect(state).toBe(isAccepted ? 'accepted' : 'revoked');
    expect((await members.ofSubject(tenant, vouched.subject_hash)) !== null).toBe(isAccepted);
  }
});

it('the invitation goes with the member who accepted it and is forgotten', async () => {
  const { tenant, made, vouched, invitee } = await invited();
  expect(await invitations.accept(tenant, invitee, nothing)).toBe(true);
  await identities.forgetPerson(tenant, vouched.person_id);
  expect(await invitations.read(tenant, made.invitation_id)).toBeNull();
});

it('an invitation is forgotten a month after its end', async () => {
  const { tenant, made } = await invited({ expires_at: Date.now() - OVER_MS - 60_000 });
  const { tenant: other, made: kept } = await invited({ expires_at: Date.now() - OVER_MS + 60_000 });
  for (const [of, { created_by }] of [
    [tenant, made],
    [other, kept],
  ] as const) {
    const next = { ...made, invitation_id: newId('invitation'), code_hash: randomBytes(32), created_by };
    await invitations.create(of, next, 10, nothing);
  }
  expect(await invitations.read(tenant, made.invitation_id)).toBeNull();
  expect(await invitations.read(other, kept.invitation_id)).toMatchObject({ state: 'expired' });
});

it("whom an invitation is for, and what it gives, can't be changed", async () => {
  const { tenant } = await invited();
  for (const column of ['role', 'address_hash', 'code_hash', 'created_by', 'expires_at']) {
    const change = inTenant(store.pool, tenant, (client) =>
      client.query(`UPDATE orchestrator.invitation SET ${column} = ${column}`),
    );
    await expect(change).rejects.toMatchObject({ code: '42501' });
  }
});
