// SPDX-License-Identifier: Apache-2.0
import { Fault, PAST_DECISIONS_MAX, type PastDecision, type PastDecisions } from '@writ/contract';
import { inTenant } from '@writ/database';
import type { TenantPool } from '../../foundation/database/pools.ts';

/**
 * Calls of one tool and agent that waited for a person, the newest first, by the index operation_held. The voters are
 * those of the version of the request that was decided.
 */
const ALIKE = `SELECT a.approval_id, a.operation_id, a.state AS outcome, a.autonomy_mode, a.decided_at, a.decided_by, a.comment,
    ARRAY(SELECT v.principal FROM kernel.vote v WHERE v.approval_id = a.approval_id AND v.asked = a.asked
      AND v.says = CASE a.state WHEN 'approved' THEN 'approve' WHEN 'denied' THEN 'deny' END
      ORDER BY v.created_at, v.vote_id) AS voters,
    ARRAY(SELECT r ->> 'code' FROM jsonb_array_elements(a.reasons) AS r) AS held_for,
    o.risk_score::float8 AS risk_score, o.risk_basis
  FROM kernel.operation o JOIN kernel.approval a ON a.operation_id = o.operation_id
  WHERE o.tenant_id = $1 AND o.agent_id = $2 AND o.tool_id = $3 AND o.approval_id IS NOT NULL
    AND a.decided_at IS NOT NULL AND a.approval_id <> $4
  ORDER BY o.created_at DESC, o.operation_id DESC, a.created_at DESC LIMIT $5`;

/**
 * How approvals of calls of the same tenant, tool and agent ended.
 * @throws Fault `not_found`
 */
export async function readPastDecisions(
  tenants: TenantPool,
  tenantId: string,
  approvalId: string,
): Promise<PastDecisions> {
  return await inTenant(
    tenants.pool,
    tenantId,
    async (client) => {
      const {
        rows: [of],
      } = await client.query<{ agent_id: string; tool_id: string }>(
        `SELECT o.agent_id, o.tool_id FROM kernel.approval a JOIN kernel.operation o ON o.operation_id = a.operation_id
         WHERE a.approval_id = $1`,
        [approvalId],
      );
      if (of === undefined) throw new Fault('not_found');
      const values = [tenantId, of.agent_id, of.tool_id, approvalId, PAST_DECISIONS_MAX];
      return { items: (await client.query<PastDecision>(ALIKE, values)).rows };
    },
    { readOnly: true },
  );
}
