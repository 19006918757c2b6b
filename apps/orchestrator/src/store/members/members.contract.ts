// SPDX-License-Identifier: Apache-2.0
// What every store of members must do.
import { randomBytes } from 'node:crypto';
import type { Id, TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { Identities } from '../identities/identities.ts';
import { newKey } from '../keys/api-keys.contract.ts';
import type { ApiKeys, NewKey } from '../keys/api-keys.ts';
import { registration } from '../sign-ins/sign-ins.contract.ts';
import type { Members, VouchedMember } from './members.ts';

export interface MemberStores {
  readonly members: Members;
  readonly keys: ApiKeys;
  readonly identities: Identities;
}

const nothing = async (): Promise<void> => undefined;
const ALL = { cursor: null, limit: 10, kind: null, state: null };

/** Runs the suite. @param open the stores, which are open while the suite runs */
export function membersContract(open: () => MemberStores): void {
  let stores: MemberStores;
  let tenant: TenantId;
  let provider_id: Id<'identityProvider'>;
  /** the platform's, so that nobody else's is the last one */
  let hash: Buffer;

  beforeEach(async () => {
    stores = open();
    tenant = newId('tenant');
    hash = randomBytes(32);
    ({ provider_id } = await stores.identities.put(tenant, registration(), 20));
    await stores.keys.create(tenant, newKey());
  });

  const person = (more: Partial<VouchedMember> = {}): VouchedMember => ({
    ...{ member_id: newId('member'), subject_hash: randomBytes(32), provider_id, person_id: newId('person') },
    ...{ principal: 'ann', sealed: 'sealed', ...more },
  });
  const keyFor = (more: Partial<NewKey> = {}) =>
    stores.keys.create(tenant, newKey({ hash, principal: 'ann', ...more }));
  const suspend = (id: string, of = tenant) =>
    stores.members.change(of, id, { state: 'suspended', by: 'key_x' }, nothing);
  const service = (name = 'bot', of = tenant, before = nothing) => {
    const member_id = newId('member');
    const made = { member_id, kind: 'service', person_id: null, name, sealed: null, role: null } as const;
    return stores.members.create(of, { ...made, created_by: 'key_x' }, member_id, 2, before);
  };

  it('a workload becomes a service account once, with a name of its own', async () => {
    const builder = { member_id: newId('member'), subject_hash: randomBytes(32), provider_id, name: 'a/b of c' };
    const [first, second] = await Promise.all([
      stores.members.vouchService(tenant, builder),
      stores.members.vouchService(tenant, { ...builder, member_id: newId('member') }),
    ]);
    expect(first).toMatchObject({ person_id: null, state: 'active' });
    expect(second.member_id).toBe(first.member_id);
    const later = { ...builder, member_id: newId('member'), subject_hash: randomBytes(32) };
    const other = await stores.members.vouchService(tenant, later);
    const names = await Promise.all(
      [first, other].map(async ({ member_id }) => (await stores.members.read(tenant, member_id))?.name),
    );
    expect(names).toEqual(['a/b of c', `a/b of c ${later.member_id.slice(-8)}`]);
    await suspend(first.member_id);
    expect(await stores.members.vouchService(tenant, builder)).toMatchObject({ state: 'suspended' });
  });

  it('a person becomes a member once, with their keys, in their tenant alone', async () => {
    const ann = person();
    const key = await keyFor();
    const [first, second] = await Promise.all([
      stores.members.vouch(tenant, ann),
      stores.members.vouch(tenant, { ...ann, member_id: newId('member') }),
    ]);
    expect(first).toMatchObject({ person_id: ann.person_id, role: null, state: 'active' });
    expect(second?.member_id).toBe(first?.member_id);
    expect(await stores.members.ofSubject(tenant, ann.subject_hash)).toMatchObject({ member_id: first?.member_id });
    expect(await stores.members.ofSubject(newId('tenant'), ann.subject_hash)).toBeNull();
    expect(await stores.members.ofPerson(tenant, ann.person_id)).toMatchObject({ member_id: first?.member_id });
    expect(await stores.keys.read(tenant, key.api_key_id)).toMatchObject({ member_id: first?.member_id });
    const later = await keyFor({ hash: randomBytes(32), person_id: ann.person_id });
    expect(later.member_id).toBe(first?.member_id);
    expect((await stores.members.list(tenant, ALL)).items).toMatchObject([{ kind: 'person', created_by: provider_id }]);
    expect((await stores.members.list(newId('tenant'), ALL)).items).toEqual([]);
  });

  it('a name that is a member is taken over by no other issuer, unless an administrator links the subject', async () => {
    const ann = person();
    const member = await stores.members.vouch(tenant, ann);
    const other = await stores.identities.put(tenant, registration({ name: 'other' }), 20);
    // Another account at the same issuer has the name that the issuer says it has.
    const second = person({ person_id: ann.person_id });
    expect(await stores.members.vouch(tenant, second)).toMatchObject({ member_id: member?.member_id });
    const mallory = person({ person_id: ann.person_id, provider_id: other.provider_id });
    expect(await stores.members.vouch(tenant, mallory)).toBeNull();
    expect(await stores.members.ofSubject(tenant, mallory.subject_hash)).toBeNull();
    await stores.members.link(tenant, String(member?.member_id), mallory, nothing);
    expect(await stores.members.vouch(tenant, mallory)).toMatchObject({ member_id: member?.member_id });
  });

  it('a subject is linked to one member, in its tenant', async () => {
    const [ann, bob] = [person(), person({ principal: 'bob' })];
    const [one, two] = [await stores.members.vouch(tenant, ann), await stores.members.vouch(tenant, bob)];
    const link = (id: unknown, of = tenant) => stores.members.link(of, String(id), bob, nothing);
    await expect(link(one?.member_id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await link(two?.member_id)).toMatchObject({ member_id: two?.member_id });
    expect(await link(two?.member_id, newId('tenant'))).toBeNull();
    expect(await link(newId('member'))).toBeNull();
  });

  it('a person with another name stays the member, and takes the name of no other one', async () => {
    const [ann, bob] = [person(), person({ principal: 'bob' })];
    const member = await stores.members.vouch(tenant, ann);
    await stores.members.vouch(tenant, bob);
    const renamed = { ...ann, person_id: newId('person'), principal: 'ann.smith' };
    expect(await stores.members.vouch(tenant, renamed)).toMatchObject({
      member_id: member?.member_id,
      person_id: renamed.person_id,
    });
    expect(await stores.members.vouch(tenant, { ...ann, person_id: bob.person_id, principal: 'bob' })).toBeNull();
  });

  it("a name that a member had before is nobody else's as long as keys carry it", async () => {
    const ann = person();
    await keyFor();
    const { member_id = '' } = (await stores.members.vouch(tenant, ann)) ?? {};
    await stores.members.vouch(tenant, { ...ann, person_id: newId('person'), principal: 'ann.smith' });
    const other = person({ person_id: ann.person_id });
    expect(await stores.members.vouch(tenant, other)).toBeNull();
    const bob = person({ principal: 'bob' });
    await stores.members.vouch(tenant, bob);
    expect(await stores.members.vouch(tenant, { ...bob, person_id: ann.person_id, principal: 'ann' })).toBeNull();
    expect((await keyFor({ hash: randomBytes(32), person_id: ann.person_id })).member_id).toBe(member_id);
    await suspend(member_id);
    expect(await stores.members.vouch(tenant, other)).toMatchObject({ member_id, state: 'suspended' });
    await expect(keyFor({ hash: randomBytes(32), person_id: ann.person_id })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await stores.keys.authenticate(hash)).toBeNull();
  });

  it("a name that a member has or had is nobody else's, also when no key carries it, and suspension covers it", async () => {
    const ann = person();
    const { member_id = '' } = (await stores.members.vouch(tenant, ann)) ?? {};
    const renamed = { ...ann, person_id: newId('person'), principal: 'ann.smith' };
    await stores.members.vouch(tenant, renamed);
    expect(await stores.members.vouch(tenant, person({ person_id: ann.person_id }))).toBeNull();
    const bob = person({ principal: 'bob' });
    await stores.members.vouch(tenant, bob);
    expect(await stores.members.vouch(tenant, { ...bob, person_id: ann.person_id, principal: 'ann' })).toBeNull();
    const made = { member_id: newId('member'), kind: 'person', name: null, sealed: null, role: null } as const;
    const again = { ...made, person_id: ann.person_id, created_by: 'key_x' };
    await expect(stores.members.create(tenant, again, 'ann', 2, nothing)).rejects.toMatchObject({ code: 'conflict' });
    await suspend(member_id);
    await expect(keyFor({ person_id: ann.person_id })).rejects.toMatchObject({ code: 'conflict' });
    // The member may have its name back.
    await stores.members.change(tenant, member_id, { state: 'active', by: 'key_x' }, nothing);
    expect(await stores.members.vouch(tenant, ann)).toMatchObject({ member_id, person_id: ann.person_id });
  });

  it('keys of a suspended member are refused until it is active again, and none is made meanwhile', async () => {
    const ann = person();
    await keyFor();
    const { member_id = '' } = (await stores.members.vouch(tenant, ann)) ?? {};
    expect(await suspend(member_id, newId('tenant'))).toBeNull();
    expect(await stores.keys.authenticate(hash)).not.toBeNull();
    expect(await suspend(member_id)).toMatchObject({ state: 'suspended', changed_by: 'key_x' });
    expect(await stores.keys.authenticate(hash)).toBeNull();
    await expect(keyFor({ hash: randomBytes(32), person_id: ann.person_id })).rejects.toMatchObject({
      code: 'conflict',
    });
    const again = person({ person_id: ann.person_id });
    expect(await stores.members.vouch(tenant, again)).toMatchObject({ state: 'suspended' });
    expect(await stores.members.ofSubject(tenant, again.subject_hash)).toBeNull();
    await stores.members.change(tenant, member_id, { state: 'active', by: 'key_x' }, nothing);
    expect(await stores.keys.authenticate(hash)).not.toBeNull();
  });

  it('a role is given and taken, and a change that is not recorded changes nothing', async () => {
    const { member_id = '' } = (await stores.members.vouch(tenant, person())) ?? {};
    const change = (role: 'admin' | null, before = nothing) =>
      stores.members.change(tenant, member_id, { role, by: 'key_x' }, before);
    await expect(change('admin', () => Promise.reject(new Error('down')))).rejects.toThrow();
    expect(await stores.members.read(tenant, member_id)).toMatchObject({ role: null });
    expect(await change('admin')).toMatchObject({ role: 'admin', state: 'active' });
    expect(await change(null)).toMatchObject({ role: null });
  });

  it('the member with the last lasting key of an administrator is not suspended', async () => {
    const lonely = newId('tenant');
    const { provider_id: at } = await stores.identities.put(lonely, registration(), 20);
    await stores.keys.create(lonely, newKey({ principal: 'ann' }));
    const { member_id = '' } = (await stores.members.vouch(lonely, person({ provider_id: at }))) ?? {};
    await expect(suspend(member_id, lonely)).rejects.toMatchObject({ code: 'conflict' });
    const { api_key_id } = await stores.keys.create(lonely, newKey());
    await suspend(member_id, lonely);
    // A suspended member administers nothing.
    await expect(stores.keys.revoke(lonely, api_key_id)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('a service account is no person, its name is taken once, and its keys name it', async () => {
    const { member_id } = await service();
    let recorded = 0;
    const record = async () => void (recorded += 1);
    await expect(service('bot', tenant, record)).rejects.toMatchObject({ code: 'conflict' });
    expect(recorded).toBe(0);
    await service('bot', newId('tenant'));
    await service('other');
    await expect(service('third')).rejects.toMatchObject({ code: 'limit.exceeded' });
    const key = await keyFor({ principal: member_id });
    expect(key.member_id).toBe(member_id);
    await suspend(member_id);
    expect(await stores.keys.authenticate(hash)).toBeNull();
    const listed = await stores.members.list(tenant, { ...ALL, kind: 'service', limit: 1 });
    expect(listed.items).toMatchObject([{ name: 'other' }]);
    const { items } = await stores.members.list(tenant, { ...ALL, cursor: listed.next_cursor, state: 'suspended' });
    expect(items).toMatchObject([{ name: 'bot', person_id: null }]);
  });
}
