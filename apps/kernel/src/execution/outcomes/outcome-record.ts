// SPDX-License-Identifier: Apache-2.0
import type { Budgets } from '@writ/contract';
import { settledUse } from '@writ/capability';
import { composeRecord, traceIdsOf, type UnsealedRecord } from '../../evidence/records/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { Ending } from './ending.ts';

/** What the ending settles: the use of each reserved dimension; nothing where the reservation stays. */
export function budgetDelta(row: OperationRow, ending: Ending): Budgets | null {
  if (ending.settled !== undefined) return ending.settled;
  return ending.used === null ? null : settledUse(row.reserved, ending.used);
}

/** How many requests asked to leave, and the hash of their list; zero and null where none did. */
function egressOf({ requests }: Ending): { egress_count: number; egress_hash: string | null } {
  const count = requests?.list.length ?? 0;
  return { egress_count: count, egress_hash: count === 0 ? null : (requests?.hash ?? null) };
}

/** The outcome's record: it names the decision it carries out by id and hash, since order in the log means nothing. */
export function outcomeRecord(row: OperationRow, ending: Ending, recordedAt: number): UnsealedRecord {
  return composeRecord({
    kind: 'tool_call',
    phase: 'outcome',
    tenant_id: row.tenant_id,
    recorded_at: recordedAt,
    operation_id: row.operation_id,
    attempt: row.attempt === 0 ? null : row.attempt,
    verdict: ending.states.at(-1) === 'refused' ? 'refused' : null,
    fault_code: ending.fault?.code ?? null,
    rule_ids: [...(ending.said?.rule_ids ?? [])],
    approval_refs: row.approval_refs,
    agent_id: row.agent_id,
    capability_token_id: row.capability_token_id,
    tool_id: row.tool_id,
    tool_definition_digest: row.tool_definition_digest,
    args_hash: row.args_hash,
    result_hash: ending.result?.hash ?? null,
    policy_hash: row.policy_hash,
    workspace_id: row.workspace_id,
    state_snapshot_id: row.state_snapshot_id,
    new_snapshot_id: ending.head?.new_snapshot_id ?? null,
    commit_delta_id: ending.head?.delta_id ?? ending.outsideDeltaId ?? null,
    provenance: row.provenance,
    task_class: row.task_class,
    autonomy_mode: row.autonomy_mode,
    risk_score: row.risk_score,
    risk_basis: row.risk_basis,
    tx_outcome: ending.txOutcome,
    budget_delta: budgetDelta(row, ending),
    usage_counted_by: ending.countedBy ?? null,
    decision_record_id: row.decision_record_id,
    decision_hash: row.decision_hash,
    effect_digest: ending.effectDigest,
    ...egressOf(ending),
    image_digest: row.image_digest,
    actor: ending.actor ?? null,
    ...traceIdsOf(row.traceparent),
  });
}
