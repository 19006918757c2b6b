// SPDX-License-Identifier: Apache-2.0
import { Fault, type Id, type TenantId } from '@writ/contract';
import type { Identities } from '../store/identities/identities.ts';
import {
  LAST_ADMINISTRATORS_MEMBER,
  Members,
  nameApart,
  NAME_TAKEN,
  OF_ANOTHER,
  OFFBOARDED,
  PERSON_TAKEN,
  type MemberChange,
  type MemberPage,
  type MemberRow,
  type MemberStanding,
  type NewMember,
  type VouchedMember,
  type VouchedService,
} from '../store/members/members.ts';
import { Offboardings, type OpenOffboarding } from '../store/members/offboardings.ts';
import { pageOfRows, parseRowCursor } from '../store/row-cursor.ts';
import type { FakeApiKeys } from './fake-api-keys.ts';

type Kept = MemberRow & { readonly tenantId: TenantId };
interface KeptIdentity {
  readonly member_id: string;
  readonly provider_id: string;
}
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** An in-memory store of members. */
export class FakeMembers extends Members {
  readonly #keys: FakeApiKeys;
  readonly #identities: Pick<Identities, 'list'>;
  readonly #rows = new Map<string, Kept>();
  readonly #subjects = new Map<string, KeptIdentity>();
  /** whose a pseudonym is or was */
  readonly #names = new Map<string, string>();
  #clock = 1_000;
  /** changes so far, and at which of them each member was changed last */
  changes = 0;
  readonly #changedAt = new Map<string, number>();
  /** people become members one after the other */
  #vouching: Promise<unknown> = Promise.resolve();

  constructor(keys: FakeApiKeys, identities: Pick<Identities, 'list'>) {
    super();
    this.#keys = keys;
    this.#identities = identities;
    keys.members = this;
  }

  /** Does what a trigger does in the database: a member is suspended, or an administrator no more. */
  whenLost: (tenantId: TenantId, memberId: string, by: string) => Promise<void> = async () => undefined;

  /** members of whom the kernel is still to be told whether their votes count */
  readonly unsettled = new Map<string, TenantId>();

  /** As a transaction that ends without its changes. */
  undo(memberId: string): void {
    this.#rows.delete(memberId);
    for (const [key, kept] of this.#subjects) if (kept.member_id === memberId) this.#subjects.delete(key);
    for (const [key, id] of this.#names) if (id === memberId) this.#names.delete(key);
  }

  /** At which change the member was changed last; 0 for none. */
  changedAt(memberId: string): number {
    return this.#changedAt.get(memberId) ?? 0;
  }

  stateOf(memberId: string): MemberRow['state'] | null {
    return this.#rows.get(memberId)?.state ?? null;
  }

  async findFor(
    tenantId: TenantId,
    memberId: string | null,
    personId: string | null,
    principal: string,
  ): Promise<MemberRow | null> {
    if (memberId !== null) return await this.read(tenantId, memberId);
    const named = this.#find(tenantId, ({ person_id }) => person_id !== null && person_id === personId);
    const before = this.#names.get(`${tenantId} ${personId}`) ?? this.#keys.memberNamed(tenantId, principal);
    const holder = named === null ? before : null;
    return holder === null ? named : await this.read(tenantId, holder);
  }

  override async ofSubject(tenantId: TenantId, subjectHash: Uint8Array): Promise<MemberStanding | null> {
    const found = this.#subjects.get(`${tenantId} ${hex(subjectHash)}`);
    return found === undefined ? null : await this.read(tenantId, found.member_id);
  }

  override async ofPerson(tenantId: TenantId, personId: string): Promise<MemberStanding | null> {
    return this.#find(tenantId, ({ person_id }) => person_id === personId);
  }

  override vouch(tenantId: TenantId, vouched: VouchedMember): Promise<MemberStanding | null> {
    const mine = this.#vouching.then(() => this.#vouch(tenantId, vouched));
    this.#vouching = mine.catch(() => null);
    return mine;
  }

  async #vouch(tenantId: TenantId, vouched: VouchedMember): Promise<MemberStanding | null> {
    const { subject_hash, provider_id, person_id, principal, sealed } = vouched;
    const found = await this.ofSubject(tenantId, subject_hash);
    const named = await this.findFor(tenantId, null, person_id, principal);
    if (found !== null && (found.person_id === person_id || found.state !== 'active')) return found;
    if (found !== null) {
      if (named !== null && named.member_id !== found.member_id) return null;
      this.#keys.take(tenantId, principal, found.member_id);
      return this.#replace(tenantId, found.member_id, { person_id, sealed });
    }
    if (named !== null && named.state !== 'active') return named;
    if (named !== null && named.person_id !== person_id) return null;
    if (named !== null && (await this.#isElsewhere(tenantId, named.member_id, provider_id))) return null;
    const member_id = named?.member_id ?? vouched.member_id;
    if (named === null)
      this.#insert(tenantId, {
        ...{ member_id, kind: 'person', person_id, name: null, role: null, sealed, created_by: provider_id },
      });
    this.#keys.take(tenantId, principal, member_id);
    this.#subjects.set(`${tenantId} ${hex(subject_hash)}`, { member_id, provider_id });
    return await this.read(tenantId, member_id);
  }

  override vouchService(tenantId: TenantId, vouched: VouchedService): Promise<MemberStanding> {
    const mine = this.#vouching.then(async () => {
      const { member_id, subject_hash, provider_id, name } = vouched;
      const found = await this.ofSubject(tenantId, subject_hash);
      if (found !== null) return found;
      const isTaken = this.#find(tenantId, (row) => row.name === name && row.state !== 'offboarded') !== null;
      const made = { kind: 'service', person_id: null, sealed: null, role: null, created_by: provider_id } as const;
      this.#insert(tenantId, { ...made, member_id, name: isTaken ? nameApart(name, member_id) : name });
      this.#subjects.set(`${tenantId} ${hex(subject_hash)}`, { member_id, provider_id });
      return (await this.read(tenantId, member_id)) as MemberStanding;
    });
    this.#vouching = mine.catch(() => null);
    return mine;
  }

  override async create(
    tenantId: TenantId,
    member: NewMember,
    principal: string,
    countMax: number,
    before: () => Promise<void>,
  ): Promise<MemberRow> {
    const own = [...this.#rows.values()].filter((row) => row.tenantId === tenantId && row.state !== 'offboarded');
    const isService = member.kind === 'service';
    if (isService && own.filter(({ kind }) => kind === 'service').length >= countMax) throw new Fault('limit.exceeded');
    if (own.some(({ name }) => name !== null && name === member.name)) throw new Fault('conflict', NAME_TAKEN);
    if (member.person_id !== null && this.#names.has(`${tenantId} ${member.person_id}`))
      throw new Fault('conflict', PERSON_TAKEN);
    await before();
    this.#insert(tenantId, member);
    this.#keys.take(tenantId, principal, member.member_id);
    return (await this.read(tenantId, member.member_id)) as MemberRow;
  }

  override async read(tenantId: TenantId, memberId: string): Promise<MemberRow | null> {
    return this.#find(tenantId, ({ member_id }) => member_id === memberId);
  }

  override async list(
    tenantId: TenantId,
    { cursor, limit, kind, state }: MemberPage,
  ): Promise<{ items: MemberRow[]; next_cursor: string | null }> {
    const after = cursor === null ? null : parseRowCursor('member', cursor);
    const rows = [...this.#rows.values()]
      .filter((row) => row.tenantId === tenantId && (kind === null || row.kind === kind))
      .filter((row) => (state === null || row.state === state) && (after === null || row.created_at < after.created_at))
      .sort((a, b) => b.created_at - a.created_at)
      .slice(0, limit + 1);
    return pageOfRows(rows.map(viewOf), limit, ({ member_id }) => member_id);
  }

  override async change(
    tenantId: TenantId,
    memberId: string,
    { by, ...change }: MemberChange,
    before: () => Promise<void>,
  ): Promise<MemberRow | null> {
    const member = await this.read(tenantId, memberId);
    if (member === null) return null;
    if (member.state === 'offboarded') throw new Fault('conflict', OFFBOARDED);
    if (change.state === 'suspended' && !this.#keys.hasLastingBeside(tenantId, memberId))
      throw new Fault('conflict', LAST_ADMINISTRATORS_MEMBER);
    await before();
    this.#changedAt.set(memberId, (this.changes += 1));
    const changed = this.#replace(tenantId, memberId, { ...change, changed_by: by, changed_at: (this.#clock += 1) });
    if (change.state !== undefined) this.unsettled.set(memberId, tenantId);
    const isLess = changed !== null && member.role === 'admin' && changed.role !== 'admin';
    if (isLess || changed?.state === 'suspended') await this.whenLost(tenantId, memberId, by);
    return changed;
  }

  override async link(
    tenantId: TenantId,
    memberId: string,
    { subject_hash, provider_id }: { readonly subject_hash: Uint8Array; readonly provider_id: string },
    before: () => Promise<void>,
  ): Promise<MemberRow | null> {
    const member = await this.read(tenantId, memberId);
    if (member === null) return null;
    if (member.state === 'offboarded') throw new Fault('conflict', OFFBOARDED);
    const other = await this.ofSubject(tenantId, subject_hash);
    if (other !== null && other.member_id !== memberId) throw new Fault('conflict', OF_ANOTHER);
    await before();
    this.#subjects.set(`${tenantId} ${hex(subject_hash)}`, { member_id: memberId, provider_id });
    return member;
  }

  offboard(tenantId: TenantId, memberId: string): MemberRow | null {
    return this.#replace(tenantId, memberId, { state: 'offboarded' });
  }

  #find(tenantId: TenantId, isOne: (row: Kept) => boolean): MemberRow | null {
    const row = [...this.#rows.values()].find((each) => each.tenantId === tenantId && isOne(each));
    return row === undefined ? null : viewOf(row);
  }

  #insert(tenantId: TenantId, member: NewMember): void {
    const at = (this.#clock += 1);
    const times = { created_at: at, changed_at: at, changed_by: member.created_by };
    if (member.person_id !== null) this.#names.set(`${tenantId} ${member.person_id}`, member.member_id);
    this.#rows.set(member.member_id, { ...member, ...times, state: 'active', tenantId });
  }

  #replace(tenantId: TenantId, memberId: string, change: Partial<MemberRow>): MemberRow | null {
    const row = this.#rows.get(memberId);
    if (row?.tenantId !== tenantId) return null;
    const changed = { ...row, ...change };
    if (changed.person_id !== null) this.#names.set(`${tenantId} ${changed.person_id}`, memberId);
    this.#rows.set(memberId, changed);
    return viewOf(changed);
  }

  async #isElsewhere(tenantId: TenantId, memberId: string, providerId: string): Promise<boolean> {
    const providers = await this.#identities.list(tenantId);
    const issuerOf = (id: string) => providers.find(({ provider_id }) => provider_id === id)?.issuer;
    return [...this.#subjects.values()].some(
      (each) => each.member_id === memberId && issuerOf(each.provider_id) !== issuerOf(providerId),
    );
  }
}

const viewOf = ({ tenantId: _tenant, ...row }: Kept): MemberRow => row;

/** In-memory offboardings of these members. */
export class FakeOffboardings extends Offboardings {
  readonly #members: FakeMembers;
  readonly #keys: FakeApiKeys;
  readonly #open = new Map<string, OpenOffboarding>();

  constructor(members: FakeMembers, keys: FakeApiKeys) {
    super();
    this.#members = members;
    this.#keys = keys;
  }

  override async begin(
    tenantId: TenantId,
    memberId: string,
    by: string,
    before: () => Promise<void>,
  ): Promise<MemberRow | null> {
    const member = await this.#members.read(tenantId, memberId);
    if (member === null || member.state === 'offboarded') return member;
    if (!this.#keys.hasLastingBeside(tenantId, memberId)) throw new Fault('conflict', LAST_ADMINISTRATORS_MEMBER);
    await before();
    const { member_id } = member;
    this.#open.set(memberId, { tenant_id: tenantId, member_id, begun_by: by as Id<'apiKey'>, age_ms: 60_000 });
    const offboarded = this.#members.offboard(tenantId, memberId);
    await this.#members.whenLost(tenantId, memberId, by);
    return offboarded;
  }

  override async keysOf(tenantId: TenantId, memberId: string): Promise<Id<'apiKey'>[]> {
    const { items } = await this.#keys.list(tenantId, { cursor: null, limit: 1_000 });
    return items
      .filter(({ member_id, revoked_at }) => member_id === memberId && revoked_at === null)
      .map(({ api_key_id }) => api_key_id);
  }

  override async principalsOf(
    tenantId: TenantId,
    memberId: string,
    { after, limit }: { readonly after: string | null; readonly limit: number },
  ): Promise<string[]> {
    const { items } = await this.#keys.list(tenantId, { cursor: null, limit: 1_000 });
    const own = items.flatMap(({ member_id, principal }) =>
      member_id === memberId && principal !== null && (after === null || principal > after) ? [principal] : [],
    );
    return [...new Set(own)].sort().slice(0, limit);
  }

  override async pauseJobs(): Promise<Id<'job'>[]> {
    return [];
  }

  override async end(_tenantId: TenantId, memberId: string): Promise<void> {
    this.#open.delete(memberId);
  }

  override tried(): Promise<void> {
    return Promise.resolve();
  }

  override async open(): Promise<OpenOffboarding[]> {
    return [...this.#open.values()];
  }
}
