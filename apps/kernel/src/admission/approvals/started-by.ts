// SPDX-License-Identifier: Apache-2.0
import { isId, type StartedBy } from '@writ/contract';
import { inTenant } from '@writ/database';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

type Proposal = Pick<OperationRow, 'agent_id' | 'proposed_by' | 'proposers' | 'provenance'>;

/** Edits of one call that are followed back: each adds a proposer, and a call has sixteen at most. */
const EDITS_MAX = 16;

/**
 * The call as it was first proposed. Whoever edits a call proposes the edited one. An edit is followed only where the
 * approval of the call before names its successor, since callers may claim any `parent_operation_id`.
 */
const FIRST_PROPOSAL = `WITH RECURSIVE proposal AS (
    SELECT o.operation_id, o.agent_id, o.proposed_by, o.proposers, o.provenance, 0 AS edits
    FROM kernel.operation o WHERE o.operation_id = $1
    UNION ALL
    SELECT b.operation_id, b.agent_id, b.proposed_by, b.proposers, b.provenance, p.edits + 1
    FROM proposal p
    JOIN kernel.approval a ON a.operation_id = p.provenance ->> 'parent_operation_id' AND a.superseded_by = p.operation_id
    JOIN kernel.operation b ON b.operation_id = a.operation_id
    WHERE p.edits < $2)
  SELECT agent_id, proposed_by, proposers, provenance FROM proposal ORDER BY edits DESC LIMIT 1`;

/** Who proposed a call first, and the run that did. The orchestrator adds what it knows of key and run. */
export async function readStartedBy(tenants: TenantPool, operation: OperationRow): Promise<StartedBy> {
  const { tenant_id, operation_id } = operation;
  const [first] = await inTenant(
    tenants.pool,
    tenant_id,
    async (client) => (await client.query<Proposal>(FIRST_PROPOSAL, [operation_id, EDITS_MAX])).rows,
    { readOnly: true },
  );
  return startedBy(first ?? operation);
}

/** `source` of the calls of runs. Its `run_id` is Writ's own. */
const RUN_SOURCE = 'run';

function startedBy({ agent_id, proposed_by, proposers, provenance: { source, run_id } }: Proposal): StartedBy {
  const [principal] = proposers;
  return {
    agent_id: agent_id as StartedBy['agent_id'],
    ...(source === undefined ? {} : { source }),
    api_key_id: proposed_by,
    // A key without a name counts as a person of its own, under its id.
    ...(principal === undefined || principal === proposed_by ? {} : { principal }),
    ...(source === RUN_SOURCE && isId('run', run_id) ? { run_id } : {}),
  };
}
