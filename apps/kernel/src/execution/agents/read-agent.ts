// SPDX-License-Identifier: Apache-2.0
import { AGENT_STATE_MAX, type AgentState, type BoundResource } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** What is known of the agent that a call names. The resource of an agent has the agent's id as its name. */
export async function readAgent(
  tenants: TenantPool,
  { tenant_id, agent_id }: Pick<OperationRow, 'tenant_id' | 'agent_id'>,
  [bound]: readonly BoundResource[],
): Promise<AgentState> {
  const agent = bound?.kind === 'agent' ? bound.name : null;
  const state =
    agent === null
      ? null
      : await kernelSql.agentState(tenants.pool, { tenant: tenant_id, agent, by: agent_id, ...AGENT_STATE_MAX });
  if (state === null) throw new Error('a call about an agent is bound to none');
  return state;
}
