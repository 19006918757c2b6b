// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import { inTenant, type Pool } from '@writ/database';
import { orchestratorSql } from '../functions.ts';
import { holdMember } from './pg-members.ts';
import { Suspensions, type NamedMember, type UnsettledVotes } from './suspensions.ts';

/** Suspensions in Postgres. Row-level security shows the tenant's rows. */
export class PgSuspensions extends Suspensions {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override async settle(
    tenantId: TenantId,
    memberId: string,
    tell: (member: NamedMember) => Promise<void>,
  ): Promise<void> {
    await inTenant(this.#pool, tenantId, async (client) => {
      const member = await holdMember(client, memberId);
      const { rows } = await client.query<{ principals: string[] }>(
        `SELECT ARRAY(SELECT DISTINCT k.principal FROM orchestrator.api_key k
           WHERE k.member_id = m.member_id AND k.principal IS NOT NULL ORDER BY 1) AS principals
         FROM orchestrator.member m WHERE m.member_id = $1 AND m.votes_unsettled`,
        [memberId],
      );
      const [unsettled] = rows;
      if (member === null || unsettled === undefined) return;
      const { member_id, state, changed_by } = member;
      if (state !== 'offboarded')
        await tell({ member_id, state, changed_by: changed_by as Id<'apiKey'>, principals: unsettled.principals });
      await client.query('UPDATE orchestrator.member SET votes_unsettled = false WHERE member_id = $1', [memberId]);
    });
  }

  override async unsettled(rows: number): Promise<UnsettledVotes[]> {
    return await orchestratorSql.unsettledVotes(this.#pool, { rows });
  }
}
