// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import type { MemberRow } from './members.ts';

/** A member of whom the kernel is still to be told whether its votes count. */
export interface UnsettledVotes {
  readonly tenant_id: TenantId;
  readonly member_id: Id<'member'>;
}

/** A member, with how its keys name it. */
export interface NamedMember extends Pick<MemberRow, 'member_id' | 'state'> {
  /** who changed it last: a key of an administrator */
  readonly changed_by: Id<'apiKey'>;
  readonly principals: readonly string[];
}

/**
 * Members whose votes count no more, or count again. Implementations MUST NOT show or change anything of a tenant other
 * than `tenantId`; `unsettled` alone takes none. Each method may be repeated at any time, by any replica.
 */
export abstract class Suspensions {
  /**
   * Has the kernel told whether the votes of the member count, where it isn't told yet. Implementations MUST hold the
   * member meanwhile, so that suspensions that begin and end are told in their order, and MUST leave it to be told
   * where `tell` rejects. They MUST NOT tell of an offboarded member, of whom the kernel is told otherwise.
   */
  abstract settle(tenantId: TenantId, memberId: string, tell: (member: NamedMember) => Promise<void>): Promise<void>;
  /** Those of all tenants. */
  abstract unsettled(rows: number): Promise<UnsettledVotes[]>;
}
