// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import type { TokenRole } from '../keys/roles.ts';
import type { VouchedMember } from './members.ts';

export const INVITATION_STATES = ['open', 'accepted', 'revoked', 'expired'] as const;
export type InvitationState = (typeof INVITATION_STATES)[number];

/** An invitation that an administrator makes. Hashes have 32 bytes. */
export interface NewInvitation {
  readonly invitation_id: Id<'invitation'>;
  readonly code_hash: Uint8Array;
  /** of the verified address; null: the subject tells whom it is for */
  readonly address_hash: Uint8Array | null;
  readonly subject_hash: Uint8Array | null;
  /** where the person must sign in; null: at any provider of the tenant */
  readonly provider_id: Id<'identityProvider'> | null;
  /** whom it is for, encrypted */
  readonly sealed: string;
  readonly role: TokenRole;
  /** the API key, by whose right the role is given */
  readonly created_by: Id<'apiKey'>;
  /** milliseconds since the epoch */
  readonly expires_at: number;
}

/** An invitation. Times are milliseconds since the epoch by the database's clock. */
export interface InvitationRow {
  readonly invitation_id: Id<'invitation'>;
  /** the name of the registration; null: any */
  readonly provider: string | null;
  readonly sealed: string;
  readonly role: TokenRole;
  readonly state: InvitationState;
  readonly created_at: number;
  readonly created_by: Id<'apiKey'>;
  readonly expires_at: number;
  readonly accepted_at: number | null;
  /** who accepted it */
  readonly member_id: Id<'member'> | null;
  readonly revoked_at: number | null;
  readonly revoked_by: string | null;
}

/** A code, and for whom an identity provider vouches. */
export interface CodeHolder extends Pick<VouchedMember, 'subject_hash' | 'provider_id'> {
  readonly code_hash: Uint8Array;
  /** of the verified address; null: the provider verified none */
  readonly address_hash: Uint8Array | null;
}

/** Who brings a code, and becomes a member by it. */
export interface Invitee extends Pick<CodeHolder, 'code_hash' | 'address_hash'> {
  readonly vouched: VouchedMember;
}

/** An invitation that is about to be accepted. */
export interface Acceptance {
  readonly invitation_id: Id<'invitation'>;
  readonly role: TokenRole;
  readonly created_by: Id<'apiKey'>;
  readonly member_id: Id<'member'>;
}

/** Invitations of the tenants. Implementations MUST NOT show or change anything of a tenant other than `tenantId`. */
export abstract class Invitations {
  /**
   * Makes an invitation, and forgets those that were over for a month. Fault `limit.exceeded` for more open ones.
   * Implementations MUST await `before` after that check, and make nothing where it rejects.
   */
  abstract create(
    tenantId: TenantId,
    invitation: NewInvitation,
    openMax: number,
    before: () => Promise<void>,
  ): Promise<InvitationRow>;
  abstract read(tenantId: TenantId, invitationId: string): Promise<InvitationRow | null>;
  /** Newest first. */
  abstract list(
    tenantId: TenantId,
    page: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ items: InvitationRow[]; next_cursor: string | null }>;
  /**
   * Revokes an open invitation; any other one stays as it is. Null where there is none. Implementations MUST await
   * `before` where it is open, and change nothing where it rejects.
   */
  abstract revoke(
    tenantId: TenantId,
    invitationId: string,
    by: string,
    before: () => Promise<void>,
  ): Promise<InvitationRow | null>;
  /** Whether `accept` would find an open invitation of the code for somebody. It may be over a moment later. */
  abstract isGood(tenantId: TenantId, holder: CodeHolder): Promise<boolean>;
  /**
   * Accepts the open invitation of the code, once: in one transaction, the person becomes a member, and the role
   * becomes the member's own. False where the code is of no open invitation, it is for somebody else or for another
   * provider, and where the inviter's key is no administrator's any more. Faults: `conflict` where the name of the
   * person is that of a member at another issuer, where the member has another role of its own, where it has none and
   * was changed since the invitation was made, and where it isn't active.
   * Implementations MUST await `before` after these checks, and change nothing where it rejects.
   */
  abstract accept(
    tenantId: TenantId,
    invitee: Invitee,
    before: (acceptance: Acceptance) => Promise<void>,
  ): Promise<boolean>;
}

/** How long an invitation that is over stays listed, in milliseconds. */
export const OVER_MS = 30 * 24 * 3_600_000;

/** The faults of `accept`. */
export const NOT_ACTIVE = 'the member is suspended or offboarded';
export const OTHER_ROLE = 'the member has another role of its own already';
export const CHANGED_SINCE = 'an administrator has changed the member since the invitation was made: make another one';
export const NAME_OF_ANOTHER = 'the name is that of a member who signs in elsewhere';
