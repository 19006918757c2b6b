// SPDX-License-Identifier: Apache-2.0
// What every store of invitations must do.
import { randomBytes } from 'node:crypto';
import type { Id, TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { Identities } from '../identities/identities.ts';
import { newKey } from '../keys/api-keys.contract.ts';
import type { ApiKeys } from '../keys/api-keys.ts';
import { registration } from '../sign-ins/sign-ins.contract.ts';
import type { Acceptance, Invitations, Invitee, NewInvitation } from './invitations.ts';
import type { Members, VouchedMember } from './members.ts';
import type { Offboardings } from './offboardings.ts';

export interface InvitationStores {
  readonly invitations: Invitations;
  readonly members: Members;
  readonly offboardings: Offboardings;
  readonly keys: ApiKeys;
  readonly identities: Identities;
}

const nothing = async (): Promise<void> => undefined;
const ALL = { cursor: null, limit: 10 };

/** Runs the suite. @param open the stores, which are open while the suite runs */
export function invitationsContract(open: () => InvitationStores): void {
  let stores: InvitationStores;
  let tenant: TenantId;
  let provider_id: Id<'identityProvider'>;
  let inviter: Id<'apiKey'>;

  beforeEach(async () => {
    stores = open();
    tenant = newId('tenant');
    ({ provider_id } = await stores.identities.put(tenant, registration(), 20));
    inviter = (await stores.keys.create(tenant, newKey())).api_key_id;
    // Another administrator, so that nobody's key is the last one.
    await stores.keys.create(tenant, newKey({ hash: randomBytes(32) }));
  });

  const person = (more: Partial<VouchedMember> = {}): VouchedMember => ({
    ...{ member_id: newId('member'), subject_hash: randomBytes(32), provider_id, person_id: newId('person') },
    ...{ principal: newId('person'), sealed: 'sealed', ...more },
  });
  const invitation = (more: Partial<NewInvitation> = {}): NewInvitation => ({
    ...{ invitation_id: newId('invitation'), code_hash: randomBytes(32), address_hash: randomBytes(32) },
    ...{ subject_hash: null, provider_id: null, sealed: 'sealed', role: 'operator', created_by: inviter },
    ...{ expires_at: Date.now() + 60_000, ...more },
  });
  const invite = async (more: Partial<NewInvitation> = {}): Promise<NewInvitation> => {
    const made = invitation(more);
    await stores.invitations.create(tenant, made, 10, nothing);
    return made;
  };
  const bringing = (
    { code_hash, address_hash }: NewInvitation,
    vouched = person(),
    more: Partial<Invitee> = {},
  ): Invitee => ({ code_hash, address_hash, vouched, ...more });
  const accept = (invitee: Invitee, before: (of: Acceptance) => Promise<void> = nothing, of = tenant) =>
    stores.invitations.accept(of, invitee, before);
  const stateOf = async ({ invitation_id }: NewInvitation) =>
    (await stores.invitations.read(tenant, invitation_id))?.state;

  it('an invitation makes the person a member with its role, once', async () => {
    const made = await invite();
    const ann = person();
    const recorded: Acceptance[] = [];
    expect(await accept(bringing(made, ann), async (of) => void recorded.push(of))).toBe(true);
    const member = await stores.members.ofSubject(tenant, ann.subject_hash);
    expect(member).toMatchObject({ role: 'operator', state: 'active', person_id: ann.person_id });
    const { invitation_id, role, created_by } = made;
    expect(recorded).toEqual([{ invitation_id, role, created_by, member_id: member?.member_id }]);
    expect(await stores.invitations.read(tenant, invitation_id)).toMatchObject({
      state: 'accepted',
      member_id: member?.member_id,
      accepted_at: expect.any(Number),
    });
    expect(await accept(bringing(made, ann))).toBe(false);
    expect(await accept(bringing(made))).toBe(false);
  });

  it('of two who bring one code at once, one becomes a member', async () => {
    const made = await invite();
    const people = [person(), person(), person()];
    const accepted = await Promise.all(people.map((each) => accept(bringing(made, each))));
    expect(accepted.filter((each) => each)).toHaveLength(1);
    const found = await Promise.all(people.map((each) => stores.members.ofSubject(tenant, each.subject_hash)));
    expect(found.filter((each) => each !== null)).toHaveLength(1);
  });

  it('a code is good for nobody else: another address, subject, provider or tenant', async () => {
    const made = await invite();
    const ann = person();
    const bound = await invite({ address_hash: null, subject_hash: ann.subject_hash, provider_id });
    const other = await stores.identities.put(tenant, registration({ name: 'other' }), 20);
    const wrong: readonly Invitee[] = [
      bringing(made, person(), { address_hash: randomBytes(32) }),
      bringing(made, person(), { address_hash: null }),
      bringing(made, person(), { code_hash: randomBytes(32) }),
      bringing(bound),
      bringing(bound, { ...ann, provider_id: other.provider_id }),
    ];
    const isGood = ({ vouched: { subject_hash, provider_id: at }, ...codes }: Invitee, of = tenant) =>
      stores.invitations.isGood(of, { ...codes, subject_hash, provider_id: at });
    expect(await isGood(bringing(made))).toBe(true);
    expect(await isGood(bringing(made), newId('tenant'))).toBe(false);
    for (const invitee of wrong) {
      expect([await isGood(invitee), await accept(invitee)]).toEqual([false, false]);
      expect(await stores.members.ofSubject(tenant, invitee.vouched.subject_hash)).toBeNull();
    }
    expect(await accept(bringing(made), nothing, newId('tenant'))).toBe(false);
    expect(await accept(bringing(bound, ann))).toBe(true);
  });

  it('a code that was revoked, or is too old, is good for nobody', async () => {
    const [revoked, late] = [await invite(), await invite({ expires_at: Date.now() - 1 })];
    const revoke = (by: string, of = tenant) => stores.invitations.revoke(of, revoked.invitation_id, by, nothing);
    expect(await revoke('key_x', newId('tenant'))).toBeNull();
    expect(await revoke('key_x')).toMatchObject({ state: 'revoked', revoked_by: 'key_x' });
    expect(await revoke('key_y')).toMatchObject({ revoked_by: 'key_x' });
    for (const made of [revoked, late]) expect(await accept(bringing(made))).toBe(false);
    expect(await stateOf(late)).toBe('expired');
  });

  it('nothing is made, revoked or accepted where it can not be recorded', async () => {
    const fail = async (): Promise<void> => {
      throw new Error('no record');
    };
    const [made, ann] = [invitation(), person()];
    await expect(stores.invitations.create(tenant, made, 10, fail)).rejects.toThrow('no record');
    expect((await stores.invitations.list(tenant, ALL)).items).toEqual([]);
    await stores.invitations.create(tenant, made, 10, nothing);
    await expect(accept(bringing(made, ann), fail)).rejects.toThrow('no record');
    expect(await stores.members.ofSubject(tenant, ann.subject_hash)).toBeNull();
    await expect(stores.invitations.revoke(tenant, made.invitation_id, 'key_x', fail)).rejects.toThrow('no record');
    expect(await stateOf(made)).toBe('open');
  });

  it('the invitations of a key end with it, and with its role of an administrator', async () => {
    const made = await invite();
    await stores.keys.revoke(tenant, inviter, nothing);
    expect(await accept(bringing(made))).toBe(false);
    const operator = await stores.keys.create(tenant, newKey({ hash: randomBytes(32), role: 'operator' }));
    expect(await accept(bringing(await invite({ created_by: operator.api_key_id })))).toBe(false);
    const ended = newKey({ hash: randomBytes(32), expires_at: Date.now() - 1 });
    expect(
      await accept(bringing(await invite({ created_by: (await stores.keys.create(tenant, ended)).api_key_id }))),
    ).toBe(false);
  });

  it('the invitations of a member end when it is suspended, demoted or offboarded, and stay so', async () => {
    const admin = async () => {
      const vouched = person();
      const key = newKey({ hash: randomBytes(32), principal: vouched.principal, person_id: vouched.person_id });
      const { api_key_id: created_by } = await stores.keys.create(tenant, key);
      const { member_id = '' } = (await stores.members.vouch(tenant, vouched)) ?? {};
      await change(member_id, { role: 'admin' });
      const late = await invite({ created_by, expires_at: Date.now() - 1 });
      return { member_id, made: await invite({ created_by }), late };
    };
    const change = (id: string, more: object) => stores.members.change(tenant, id, { ...more, by: 'key_x' }, nothing);
    const [one, two, three, stays] = [await admin(), await admin(), await admin(), await admin()];
    await change(one.member_id, { state: 'suspended' });
    await change(one.member_id, { state: 'active' });
    await change(two.member_id, { role: 'operator' });
    await change(two.member_id, { role: 'admin' });
    await stores.offboardings.begin(tenant, three.member_id, 'key_x', nothing);
    for (const { made, late } of [one, two, three]) {
      expect([await stateOf(made), await stateOf(late)]).toEqual(['revoked', 'expired']);
      expect(await accept(bringing(made))).toBe(false);
    }
    expect(await accept(bringing(stays.made))).toBe(true);
  });

  it('the invitations of a person whom an issuer makes an administrator end with that', async () => {
    const inviting = async (role: 'admin' | 'auditor' = 'admin') => {
      const name = newId('request');
      const { provider_id: at } = await stores.identities.put(
        tenant,
        registration({ name, issuer: `https://${name}.example.org`, scopes: [{ scope: 'x', role }] }),
        20,
      );
      const person_id = await stores.identities.personOf(tenant, randomBytes(32), newId('person'));
      const [vouched, hash] = [person({ provider_id: at, person_id, principal: person_id }), randomBytes(32)];
      const member = await stores.members.vouch(tenant, vouched);
      const key = newKey({ hash, principal: vouched.principal, created_by: at, member_id: member?.member_id ?? null });
      const { subject_hash } = vouched;
      await stores.identities.createCredential(tenant, key, { provider_id: at, subject_hash });
      return { at, name, vouched, made: await invite({ created_by: key.api_key_id }) };
    };
    const [good, removed, denied] = [await inviting(), await inviting(), await inviting()];
    const demoted = await inviting('auditor');
    await stores.identities.remove(tenant, removed.at);
    const value_hash = denied.vouched.subject_hash;
    await stores.identities.deny(tenant, denied.at, { kind: 'subject', value_hash, denied_by: 'key_x' });
    for (const { made } of [removed, denied, demoted]) expect(await accept(bringing(made))).toBe(false);
    expect(await accept(bringing(good.made))).toBe(true);
  });

  it('a member keeps a role that an administrator gave, and whoever is suspended or offboarded stays out', async () => {
    const ann = person();
    const { member_id = '' } = (await stores.members.vouch(tenant, ann)) ?? {};
    const change = (more: object) => stores.members.change(tenant, member_id, { ...more, by: 'key_x' }, nothing);
    const taken = async () => await accept(bringing(await invite(), ann));
    expect(await taken()).toBe(true);
    expect(await taken()).toBe(true);
    await change({ role: 'auditor' });
    await expect(taken()).rejects.toMatchObject({ code: 'conflict' });
    await change({ role: null, state: 'suspended' });
    await expect(taken()).rejects.toMatchObject({ code: 'conflict' });
    await stores.offboardings.begin(tenant, member_id, 'key_x', nothing);
    await expect(taken()).rejects.toMatchObject({ code: 'conflict' });
    expect(await stores.members.ofSubject(tenant, ann.subject_hash)).toMatchObject({ state: 'offboarded', role: null });
  });

  it('an invitation gives back no role that an administrator took since it was made', async () => {
    const [sent, sentAgain, ann] = [await invite(), await invite(), person()];
    expect(await accept(bringing(sent, ann))).toBe(true);
    const { member_id = '' } = (await stores.members.ofSubject(tenant, ann.subject_hash)) ?? {};
    await stores.members.change(tenant, member_id, { role: null, by: 'key_x' }, nothing);
    await expect(accept(bringing(sentAgain, ann))).rejects.toMatchObject({ code: 'conflict' });
    expect(await stores.members.ofSubject(tenant, ann.subject_hash)).toMatchObject({ role: null });
    expect(await stateOf(sentAgain)).toBe('open');
    // One that is made afterwards is a new decision.
    expect(await accept(bringing(await invite(), ann))).toBe(true);
    // Whoever only signed in meanwhile was changed by nobody.
    const [open, bob] = [await invite(), person()];
    await stores.members.vouch(tenant, bob);
    expect(await accept(bringing(open, bob))).toBe(true);
  });

  it('an invitation gives nobody the name of a member who signs in elsewhere', async () => {
    const ann = person();
    await stores.members.vouch(tenant, ann);
    const other = await stores.identities.put(
      tenant,
      registration({ name: 'other', issuer: 'https://other.example.org' }),
      20,
    );
    const mallory = { ...ann, subject_hash: randomBytes(32), provider_id: other.provider_id };
    await expect(accept(bringing(await invite(), mallory))).rejects.toMatchObject({ code: 'conflict' });
    expect(await stores.members.ofSubject(tenant, mallory.subject_hash)).toBeNull();
  });

  it('invitations are listed newest first, in their tenant alone, and the open ones are bounded', async () => {
    const [one, two] = [await invite(), await invite({ expires_at: Date.now() - 1 })];
    const three = await invite({ provider_id });
    const { items, next_cursor } = await stores.invitations.list(tenant, { cursor: null, limit: 2 });
    expect(items.map(({ invitation_id }) => invitation_id)).toHaveLength(2);
    const rest = await stores.invitations.list(tenant, { cursor: next_cursor, limit: 2 });
    const listed = [...items, ...rest.items];
    const times = listed.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(listed.map(({ invitation_id }) => invitation_id).sort()).toEqual(
      [one, two, three].map(({ invitation_id }) => invitation_id).sort(),
    );
    expect(listed.find(({ provider }) => provider !== null)).toMatchObject({ invitation_id: three.invitation_id });
    expect((await stores.invitations.list(newId('tenant'), ALL)).items).toEqual([]);
    expect(await stores.invitations.read(newId('tenant'), one.invitation_id)).toBeNull();
    await expect(stores.invitations.create(tenant, invitation(), 2, nothing)).rejects.toMatchObject({
      code: 'limit.exceeded',
    });
    await stores.invitations.revoke(tenant, one.invitation_id, 'key_x', nothing);
    await stores.invitations.create(tenant, invitation(), 2, nothing);
  });
}
