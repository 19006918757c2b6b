// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, PersonSuspended } from '@writ/contract';
import type { ChangeRecord, Changes } from '../../evidence/changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, requireFound, requireRole, type Rows } from '../../foundation/tenancy/index.ts';
import { endSessionGrants } from '../tokens/index.ts';

/** The verbs of records of persons whose votes count no more, and count again. */
const [SUSPENDED, ACTIVATED] = ['person_suspended', 'person_activated'];

type Suspension = KernelRequest<'person.suspend'>;

/**
 * Takes a person who is suspended out of approvals, and back in. INVARIANT (wholly before or wholly after): votes are
 * counted under the tenant's rules, which this holds exclusively. A call is approved before it, or without the person.
 * What they approved for the rest of a session ends for good: it is a decision in advance that nobody sees any more.
 */
export class SuspendPerson {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /** @throws Fault `auth.role`, `not_found` for a tenant that isn't there, `tenant.closed` where a suspension ends */
  async run({ caller, ...suspension }: Suspension): Promise<PersonSuspended> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id: by } = caller;
    const { member_id, principals, suspended } = suspension;
    const change = async (rows: Rows, now: number) => {
      requireFound(await rows.tenant.findUnique({ where: { tenant_id }, select: { tenant_id: true } }));
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      const names = suspended ? await begin(rows, tenant_id, by, suspension) : await end(rows, tenant_id, member_id);
      const verb = suspended ? SUSPENDED : ACTIVATED;
      const record: ChangeRecord = { kind: 'change', actor: by, change: { verb, subject: member_id, digest: null } };
      const grants = suspended ? await endSessionGrants(rows, { tenant_id, by, now }, principals) : [];
      return { value: { names }, records: [...(names === 0 ? [] : [record]), ...grants] };
    };
    // A closed tenant gets nothing back, and its votes may end.
    return suspended ? await this.#changes.upkeep(tenant_id, change) : await this.#changes.make(tenant_id, change);
  }
}

/** How many names are suspended that were not. */
async function begin(
  rows: Rows,
  tenant_id: string,
  suspended_by: string,
  { member_id, principals }: Pick<Suspension, 'member_id' | 'principals'>,
): Promise<number> {
  const { count } = await rows.suspended_person.createMany({
    data: principals.map((principal) => ({ tenant_id, principal, member_id, suspended_by })),
    skipDuplicates: true,
  });
  return count;
}

/** How many names are suspended no more. */
async function end(rows: Rows, tenant_id: string, member_id: string): Promise<number> {
  return (await rows.suspended_person.deleteMany({ where: { tenant_id, member_id } })).count;
}
