// SPDX-License-Identifier: Apache-2.0
import type { DelegationView } from '@writ/contract';
import { matchesTool } from '@writ/capability';
import { inTenant } from '@writ/database';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { VoteRole, HeldCall } from '../../foundation/rows/held-rows.ts';

/** A row of kernel.delegation. Times are milliseconds by the database's clock. */
export interface Delegation {
  readonly delegation_id: string;
  readonly from_principal: string;
  readonly role: VoteRole;
  readonly to_principal: string;
  /** ids and globs; none: every tool */
  readonly tools: readonly string[];
  readonly agent_id: string | null;
  readonly autonomy_mode: DelegationView['scope']['autonomy_mode'];
  readonly expires_at: number;
  readonly revoked_at: number | null;
}

/** Null where it isn't the tenant's. */
export async function readDelegation(
  tenants: TenantPool,
  tenantId: string,
  delegationId: string,
): Promise<Delegation | null> {
  return await inTenant(
    tenants.pool,
    tenantId,
    async (client) => {
      const {
        rows: [row],
      } = await client.query<{ row: Delegation }>(
        'SELECT to_jsonb(d) AS row FROM kernel.delegation d WHERE d.delegation_id = $1',
        [delegationId],
      );
      return row?.row ?? null;
    },
    { readOnly: true },
  );
}

/** The ids of the delegations to this person that are valid now, the one that ends last first. */
export async function readStandingDelegations(
  tenants: TenantPool,
  tenantId: string,
  principal: string,
  max: number,
): Promise<string[]> {
  return await inTenant(
    tenants.pool,
    tenantId,
    async (client) => {
      const { rows } = await client.query<{ delegation_id: string }>(
        `SELECT d.delegation_id FROM kernel.delegation d
         WHERE d.to_principal = $1 AND d.revoked_at IS NULL AND d.expires_at > kernel.now_ms()
         ORDER BY d.expires_at DESC, d.delegation_id LIMIT $2`,
        [principal, max],
      );
      return rows.map(({ delegation_id }) => delegation_id);
    },
    { readOnly: true },
  );
}

/** Why the delegation doesn't cover the call, in words; null where it does. */
export function unfitReason(delegation: Delegation, { now, approval, operation }: HeldCall): string | null {
  const { tools, agent_id, autonomy_mode, expires_at, revoked_at } = delegation;
  if (revoked_at !== null) return 'it was revoked';
  if (expires_at <= now) return 'it has expired';
  if (tools.length > 0 && !tools.some((pattern) => matchesTool(pattern, operation.tool_id)))
    return `it isn't for calls of \`${operation.tool_id}\``;
  if (agent_id !== null && agent_id !== operation.agent_id) return "it isn't for calls of that agent";
  return approval.autonomy_mode === 'escalated' && autonomy_mode === 'soft_gate'
    ? "it isn't for calls that are escalated"
    : null;
}
