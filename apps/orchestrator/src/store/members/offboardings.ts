// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import type { MemberRow } from './members.ts';

/** An offboarding that goes on. */
export interface OpenOffboarding {
  readonly tenant_id: TenantId;
  readonly member_id: Id<'member'>;
  /** the API key on whose behalf its steps are made */
  readonly begun_by: Id<'apiKey'>;
  readonly age_ms: number;
}

/**
 * Offboardings of members. Implementations MUST NOT show or change anything of a tenant other than `tenantId`; `open`
 * alone takes none. Each method may be repeated at any time, by any replica.
 */
export abstract class Offboardings {
  /**
   * In one transaction: the member is offboarded, so that its keys and credentials are refused and none is made; its
   * subjects are denied, which ends their sessions and what they approved; and the rest is noted as to be done. One
   * that is offboarded already stays as it is. Null where the tenant has no such member. Fault `conflict` where the
   * tenant would have no lasting key of an administrator. Implementations MUST await `before` after that check, and
   * change nothing where it rejects.
   */
  abstract begin(
    tenantId: TenantId,
    memberId: string,
    by: string,
    before: () => Promise<void>,
  ): Promise<MemberRow | null>;
  /**
   * Keys and credentials of the member that are not revoked, those that a process of the version before made too. Which
   * of them comes first differs from time to time, so that none waits behind others that fail.
   */
  abstract keysOf(tenantId: TenantId, memberId: string, limit: number): Promise<Id<'apiKey'>[]>;
  /** How the member's keys name it, in one order; `after`: those that come later. */
  abstract principalsOf(
    tenantId: TenantId,
    memberId: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<string[]>;
  /** Pauses jobs whose runs would be made on behalf of its keys. Their ids. */
  abstract pauseJobs(tenantId: TenantId, memberId: string): Promise<Id<'job'>[]>;
  /** A sweep begins a pass: other ones come first next time. */
  abstract tried(tenantId: TenantId, memberId: string): Promise<void>;
  /** Nothing is left to do. */
  abstract end(tenantId: TenantId, memberId: string): Promise<void>;
  /** Those of all tenants that go on, those first that no sweep has tried for longest. */
  abstract open(rows: number): Promise<OpenOffboarding[]>;
}
