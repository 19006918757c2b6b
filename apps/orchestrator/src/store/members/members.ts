// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import type { TokenRole } from '../keys/roles.ts';

export const MEMBER_KINDS = ['person', 'service'] as const;
export type MemberKind = (typeof MEMBER_KINDS)[number];
export const MEMBER_STATES = ['active', 'suspended', 'offboarded'] as const;
export type MemberState = (typeof MEMBER_STATES)[number];

/** What a member may do. */
export interface MemberStanding {
  readonly member_id: Id<'member'>;
  /** the pseudonym; null: a service account */
  readonly person_id: Id<'person'> | null;
  /** added to the roles that scopes and groups give; null: none */
  readonly role: TokenRole | null;
  readonly state: MemberState;
}

/** A member. Times are milliseconds since the epoch by the database's clock. */
export interface MemberRow extends MemberStanding {
  readonly kind: MemberKind;
  /** of a service account */
  readonly name: string | null;
  /** of a person: who it is, encrypted */
  readonly sealed: string | null;
  readonly created_at: number;
  /** the API key, or the identity provider where the person signed in */
  readonly created_by: string;
  readonly changed_at: number;
  readonly changed_by: string;
}

/** A member that an administrator makes. */
export type NewMember = Pick<MemberRow, 'member_id' | 'kind' | 'person_id' | 'name' | 'sealed' | 'role' | 'created_by'>;

/** A subject of an issuer whom its provider vouches for. */
export interface VouchedMember {
  /** becomes the member's where there is none yet */
  readonly member_id: Id<'member'>;
  readonly subject_hash: Uint8Array;
  readonly provider_id: Id<'identityProvider'>;
  readonly person_id: Id<'person'>;
  /** how keys and credentials of the person name them */
  readonly principal: string;
  readonly sealed: string;
}

/** A workload whose registration vouches for it. */
export interface VouchedService extends Pick<VouchedMember, 'member_id' | 'subject_hash' | 'provider_id'> {
  /** of the service account; where another one has it, the member's id tells them apart */
  readonly name: string;
}

/** What an administrator changes. Absent members stay as they are. */
export interface MemberChange {
  readonly role?: TokenRole | null;
  readonly state?: 'active' | 'suspended';
  readonly by: string;
}

export interface MemberPage {
  readonly cursor: string | null;
  readonly limit: number;
  readonly kind: MemberKind | null;
  readonly state: MemberState | null;
}

/**
 * Members of the tenants. Implementations MUST NOT show or change anything of a tenant other than `tenantId`. They MUST
 * let changes of the keys of one person and of its member take turns, so that no key is made for a member who is not
 * active.
 */
export abstract class Members {
  /** The member of that subject; null where nobody is. */
  abstract ofSubject(tenantId: TenantId, subjectHash: Uint8Array): Promise<MemberStanding | null>;
  /** The member of that pseudonym; null where nobody is. */
  abstract ofPerson(tenantId: TenantId, personId: string): Promise<MemberStanding | null>;
  /**
   * The member of a subject, which becomes one where there is none; it also becomes the member of the person's keys.
   * INVARIANT (no takeover): null where the name is that of a member at another issuer, unless an administrator linked
   * the subject to that member.
   */
  abstract vouch(tenantId: TenantId, vouched: VouchedMember): Promise<MemberStanding | null>;
  /** The member of a subject, which becomes a service account where there is none. */
  abstract vouchService(tenantId: TenantId, vouched: VouchedService): Promise<MemberStanding>;
  /**
   * Faults: `conflict` for a name or a person that is a member's, `limit.exceeded` for more service accounts.
   * Implementations MUST await `before` after these checks, and make nothing where it rejects.
   */
  abstract create(
    tenantId: TenantId,
    member: NewMember,
    principal: string,
    countMax: number,
    before: () => Promise<void>,
  ): Promise<MemberRow>;
  /** Null where the tenant has no such member; the same holds for all methods below. */
  abstract read(tenantId: TenantId, memberId: string): Promise<MemberRow | null>;
  /** Newest first. */
  abstract list(tenantId: TenantId, page: MemberPage): Promise<{ items: MemberRow[]; next_cursor: string | null }>;
  /**
   * Changes the role or the state, and wakes waiting runs of the member so that they end where it is suspended. Faults:
   * `conflict` for an offboarded member, and where the tenant would have no lasting key of an administrator.
   * Implementations MUST await `before` after these checks, and change nothing where it rejects.
   */
  abstract change(
    tenantId: TenantId,
    memberId: string,
    change: MemberChange,
    before: () => Promise<void>,
  ): Promise<MemberRow | null>;
  /** Makes the subject one of the member. Faults `conflict` where it is another's, and for an offboarded member. */
  abstract link(
    tenantId: TenantId,
    memberId: string,
    identity: { readonly subject_hash: Uint8Array; readonly provider_id: string },
    before: () => Promise<void>,
  ): Promise<MemberRow | null>;
}

/** The name of a service account where another one has `name`. */
export const nameApart = (name: string, memberId: string): string => `${name} ${memberId.slice(-8)}`;

/** The faults of `create`, `change` and `link`. */
export const OFFBOARDED = 'the member is offboarded, which is for good';
export const LAST_ADMINISTRATORS_MEMBER =
  'the member has the last valid key of an administrator without an end and without scopes; make another one first';
export const OF_ANOTHER = 'the subject is another member already';
export const NAME_TAKEN = 'a service account with this name exists';
export const PERSON_TAKEN = 'the person is a member already';
