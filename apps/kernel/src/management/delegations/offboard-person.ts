// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, PersonOffboarded } from '@writ/contract';
import { delegationRevoked, type ChangeRecord, type Changes } from '../../evidence/changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { leaveGroups } from '../approver-groups/index.ts';
import { endSessionGrants } from '../tokens/index.ts';
import { callIn, requireFound, requireRole, type Rows } from '../../foundation/tenancy/index.ts';

/** The verb of records of persons who left. */
const OFFBOARDED = 'person_offboarded';

/**
 * Takes a person who left out of all approvals and approver groups. INVARIANT (wholly before or wholly after): votes
 * are counted under the tenant's rules, which this holds exclusively. A call is approved before it, or without the
 * person. What they approved for the rest of a session ends as their votes do.
 */
export class OffboardPerson {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /** @throws Fault `auth.role`, `not_found` for a tenant that isn't there */
  async run({ caller, member_id, principals }: KernelRequest<'person.offboard'>): Promise<PersonOffboarded> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id: by } = caller;
    return await this.#changes.upkeep(tenant_id, async (rows, now) => {
      requireFound(await rows.tenant.findUnique({ where: { tenant_id }, select: { tenant_id: true } }));
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      const { count } = await rows.offboarded_person.createMany({
        data: principals.map((principal) => ({ tenant_id, principal, offboarded_by: by })),
        skipDuplicates: true,
      });
      // In the order of a vote, which locks delegations first.
      const delegations = await endDelegations(rows, tenant_id, principals, { by, now });
      const groups = await leaveGroups(rows, { tenant_id, by, now }, principals);
      const grants = await endSessionGrants(rows, { tenant_id, by, now }, principals);
      const offboarded: ChangeRecord = {
        kind: 'change',
        actor: by,
        change: { verb: OFFBOARDED, subject: member_id, digest: null },
      };
      return {
        value: { delegations: delegations.length },
        records: [...(count === 0 ? [] : [offboarded]), ...groups, ...delegations, ...grants],
      };
    });
  }
}

async function endDelegations(
  rows: Rows,
  tenant_id: string,
  principals: readonly string[],
  { by, now }: { readonly by: string; readonly now: number },
): Promise<ChangeRecord[]> {
  const theirs = { in: [...principals] };
  const found = await rows.delegation.findMany({
    where: {
      ...{ tenant_id, revoked_at: null, expires_at: { gt: now } },
      OR: [{ from_principal: theirs }, { to_principal: theirs }],
    },
    select: { delegation_id: true },
    orderBy: { delegation_id: 'asc' },
  });
  const ids = found.map(({ delegation_id }) => delegation_id);
  await rows.delegation.updateMany({
    where: { delegation_id: { in: ids } },
    data: { revoked_at: now, revoked_by: by },
  });
  return ids.map((id) => delegationRevoked(by, id));
}
