// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import { Suspensions, type NamedMember, type UnsettledVotes } from '../store/members/suspensions.ts';
import type { FakeMembers, FakeOffboardings } from './fake-members.ts';

/** In-memory suspensions of these members. */
export class FakeSuspensions extends Suspensions {
  readonly #members: FakeMembers;
  readonly #offboardings: Pick<FakeOffboardings, 'principalsOf'>;

  constructor(members: FakeMembers, offboardings: Pick<FakeOffboardings, 'principalsOf'>) {
    super();
    this.#members = members;
    this.#offboardings = offboardings;
  }

  override async settle(
    tenantId: TenantId,
    memberId: string,
    tell: (member: NamedMember) => Promise<void>,
  ): Promise<void> {
    const member = await this.#members.read(tenantId, memberId);
    if (member === null || !this.#members.unsettled.has(memberId)) return;
    const { member_id, state, changed_by } = member;
    const principals = await this.#offboardings.principalsOf(tenantId, memberId, { after: null, limit: 1_000 });
    if (state !== 'offboarded') await tell({ member_id, state, changed_by: changed_by as Id<'apiKey'>, principals });
    this.#members.unsettled.delete(memberId);
  }

  override async unsettled(rows: number): Promise<UnsettledVotes[]> {
    return [...this.#members.unsettled]
      .slice(0, rows)
      .map(([member_id, tenant_id]) => ({ tenant_id, member_id: member_id as Id<'member'> }));
  }
}
