// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import type { Identities } from '../store/identities/identities.ts';
import {
  CHANGED_SINCE,
  Invitations,
  NAME_OF_ANOTHER,
  NOT_ACTIVE,
  OTHER_ROLE,
  OVER_MS,
  type Acceptance,
  type CodeHolder,
  type InvitationRow,
  type Invitee,
  type NewInvitation,
} from '../store/members/invitations.ts';
import { pageOfRows, parseRowCursor } from '../store/row-cursor.ts';
import type { FakeApiKeys } from './fake-api-keys.ts';
import type { FakeMembers } from './fake-members.ts';

interface Kept extends NewInvitation {
  readonly tenantId: TenantId;
  readonly created_at: number;
  readonly provider: string | null;
  /** changes of members that came before it */
  readonly changes: number;
  readonly ended: Partial<Pick<InvitationRow, 'accepted_at' | 'member_id' | 'revoked_at' | 'revoked_by'>>;
}
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const fits = (wanted: Uint8Array | null, given: Uint8Array | null): boolean =>
  wanted === null || (given !== null && hex(wanted) === hex(given));

/** An in-memory store of invitations. */
export class FakeInvitations extends Invitations {
  readonly #members: FakeMembers;
  readonly #keys: FakeApiKeys;
  readonly #identities: Pick<Identities, 'list' | 'credential' | 'isDenied'>;
  #rows: Kept[] = [];
  #clock = 1_000;
  /** acceptances take turns */
  #accepting: Promise<unknown> = Promise.resolve();

  constructor(
    members: FakeMembers,
    keys: FakeApiKeys,
    identities: Pick<Identities, 'list' | 'credential' | 'isDenied'>,
  ) {
    super();
    this.#members = members;
    this.#keys = keys;
    this.#identities = identities;
    members.whenLost = async (tenantId, memberId, by) => await this.#revokeOf(tenantId, memberId, by);
  }

  override async create(
    tenantId: TenantId,
    invitation: NewInvitation,
    openMax: number,
    before: () => Promise<void>,
  ): Promise<InvitationRow> {
    const own = this.#rows.filter((row) => row.tenantId === tenantId);
    if (own.filter((row) => viewOf(row).state === 'open').length >= openMax) throw new Fault('limit.exceeded');
    await before();
    this.#rows = this.#rows.filter((row) => row.tenantId !== tenantId || row.expires_at >= Date.now() - OVER_MS);
    const providers = await this.#identities.list(tenantId);
    const provider = providers.find(({ provider_id }) => provider_id === invitation.provider_id)?.name ?? null;
    const { changes } = this.#members;
    const kept = { ...invitation, tenantId, provider, created_at: (this.#clock += 1), changes, ended: {} };
    this.#rows.push(kept);
    return viewOf(kept);
  }

  override async read(tenantId: TenantId, invitationId: string): Promise<InvitationRow | null> {
    const found = this.#find(tenantId, ({ invitation_id }) => invitation_id === invitationId);
    return found === null ? null : viewOf(found);
  }

  override async list(
    tenantId: TenantId,
    { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ items: InvitationRow[]; next_cursor: string | null }> {
    const after = cursor === null ? null : parseRowCursor('invitation', cursor);
    const rows = this.#rows
      .filter((row) => row.tenantId === tenantId && (after === null || row.created_at < after.created_at))
      .sort((a, b) => b.created_at - a.created_at)
      .map(viewOf);
    return pageOfRows(rows.slice(0, limit + 1), limit, ({ invitation_id }) => invitation_id);
  }

  override async revoke(
    tenantId: TenantId,
    invitationId: string,
    by: string,
    before: () => Promise<void>,
  ): Promise<InvitationRow | null> {
    const found = await this.read(tenantId, invitationId);
    if (found?.state !== 'open') return found;
    await before();
    this.#end(invitationId, { revoked_at: Date.now(), revoked_by: by });
    return await this.read(tenantId, invitationId);
  }

  override accept(
    tenantId: TenantId,
    invitee: Invitee,
    before: (acceptance: Acceptance) => Promise<void>,
  ): Promise<boolean> {
    const mine = this.#accepting.then(() => this.#accept(tenantId, invitee, before));
    this.#accepting = mine.catch(() => null);
    return mine;
  }

  override async isGood(tenantId: TenantId, holder: CodeHolder): Promise<boolean> {
    return (await this.#good(tenantId, holder)) !== null;
  }

  async #good(
    tenantId: TenantId,
    { code_hash, address_hash, subject_hash, provider_id }: CodeHolder,
  ): Promise<Kept | null> {
    const found = this.#find(tenantId, (row) => hex(row.code_hash) === hex(code_hash));
    if (found === null || viewOf(found).state !== 'open') return null;
    const isFor = fits(found.address_hash, address_hash) && fits(found.subject_hash, subject_hash);
    if (!isFor || (found.provider_id !== null && found.provider_id !== provider_id)) return null;
    return (await this.#mayInvite(tenantId, found.created_by)) ? found : null;
  }

  async #accept(
    tenantId: TenantId,
    { code_hash, address_hash, vouched }: Invitee,
    before: (acceptance: Acceptance) => Promise<void>,
  ): Promise<boolean> {
    const { subject_hash, provider_id } = vouched;
    const found = await this.#good(tenantId, { code_hash, address_hash, subject_hash, provider_id });
    if (found === null) return false;
    const { invitation_id, role, created_by } = found;
    const known = await this.#members.ofSubject(tenantId, vouched.subject_hash);
    const standing = await this.#members.vouch(tenantId, vouched);
    if (standing === null) throw new Fault('conflict', NAME_OF_ANOTHER);
    if (standing.state !== 'active') throw new Fault('conflict', NOT_ACTIVE);
    if (standing.role !== null && standing.role !== role) throw new Fault('conflict', OTHER_ROLE);
    if (standing.role === null && this.#members.changedAt(standing.member_id) > found.changes)
      throw new Fault('conflict', CHANGED_SINCE);
    const { member_id } = standing;
    try {
      await before({ invitation_id, role, created_by, member_id });
    } catch (error) {
      if (known === null) this.#members.undo(member_id);
      throw error;
    }
    await this.#members.change(tenantId, member_id, { role, by: created_by }, async () => undefined);
    this.#end(invitation_id, { accepted_at: Date.now(), member_id });
    return true;
  }

  async #mayInvite(tenantId: TenantId, keyId: string): Promise<boolean> {
    const key = await this.#keys.read(tenantId, keyId);
    if (key === null || key.role !== 'admin' || key.revoked_at !== null) return false;
    if (key.expires_at !== null && key.expires_at <= Date.now()) return false;
    const member = key.member_id === null ? null : await this.#members.read(tenantId, key.member_id);
    if (member !== null && member.state !== 'active') return false;
    const credential = await this.#identities.credential(tenantId, keyId);
    if (credential === null) return true;
    const subject_hash = credential.subject_hash;
    if (await this.#identities.isDenied(tenantId, { subject_hash, jti_hash: Buffer.alloc(32) })) return false;
    const providers = await this.#identities.list(tenantId);
    const provider = providers.find(({ provider_id }) => provider_id === credential.provider_id);
    if (provider === undefined) return false;
    return member?.role === 'admin' || [...provider.scopes, ...provider.groups].some(({ role }) => role === 'admin');
  }

  async #revokeOf(tenantId: TenantId, memberId: string, by: string): Promise<void> {
    for (const row of this.#rows.filter((each) => each.tenantId === tenantId && viewOf(each).state === 'open'))
      if ((await this.#keys.read(tenantId, row.created_by))?.member_id === memberId)
        this.#end(row.invitation_id, { revoked_at: Date.now(), revoked_by: by });
  }

  #find(tenantId: TenantId, isOne: (row: Kept) => boolean): Kept | null {
    return this.#rows.find((row) => row.tenantId === tenantId && isOne(row)) ?? null;
  }

  #end(invitationId: string, ended: Kept['ended']): void {
    this.#rows = this.#rows.map((row) => (row.invitation_id === invitationId ? { ...row, ended } : row));
  }
}

function viewOf({
  invitation_id,
  provider,
  sealed,
  role,
  created_at,
  created_by,
  expires_at,
  ended,
}: Kept): InvitationRow {
  const { accepted_at = null, member_id = null, revoked_at = null, revoked_by = null } = ended;
  const open = expires_at <= Date.now() ? 'expired' : 'open';
  const over = revoked_at === null ? open : 'revoked';
  const state = accepted_at === null ? over : 'accepted';
  const kept = { invitation_id, provider, sealed, role, state, created_at, created_by, expires_at } as const;
  return { ...kept, accepted_at, member_id, revoked_at, revoked_by };
}
