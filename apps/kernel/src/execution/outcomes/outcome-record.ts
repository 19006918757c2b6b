// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord, Budgets, Id } from '@writ/contract';
import { settledUse } from '@writ/capability';
import { composeRecord, fieldsOfCall, type UnsealedRecord } from '../../evidence/records/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import { isOutsideLane, type OutcomeDraft } from './outcome-draft.ts';
import { recordedChange } from './resource-changes.ts';

/** The usage that the ending settles, for each reserved dimension; null where the reservation stays. */
export function budgetDelta(row: OperationRow, ending: OutcomeDraft): Budgets | null {
  if (ending.settled !== undefined) return ending.settled;
  return ending.used === null ? null : settledUse(row.reserved, ending.used);
}

/** The number of egress requests, and the hash of their list; zero and null where there was none. */
function egressOf({ requests }: OutcomeDraft): { egress_count: number; egress_hash: string | null } {
  const count = requests?.list.length ?? 0;
  return { egress_count: count, egress_hash: count === 0 ? null : (requests?.hash ?? null) };
}

/** Who ran the call, where a process of the tenant did. Null for a call that none has redeemed, and for all others. */
function executionOf(row: OperationRow): AuditRecord['execution'] | null {
  const wasRedeemed = row.leases_lost > 0 || row.nonce !== null;
  if (!isOutsideLane(row) || !wasRedeemed) return null;
  return {
    contained: false,
    result: 'claimed',
    executor: row.nonce === null ? null : (row.executor_id as Id<'apiKey'>),
  };
}

/** The outcome's record: it names its decision by id and hash, since order in the log means nothing. */
export function outcomeRecord(row: OperationRow, ending: OutcomeDraft, recordedAt: number): UnsealedRecord {
  return composeRecord({
    ...fieldsOfCall(row),
    kind: 'tool_call',
    phase: 'outcome',
    recorded_at: recordedAt,
    attempt: row.attempt === 0 ? null : row.attempt,
    verdict: ending.states.at(-1) === 'refused' ? 'refused' : null,
    fault_code: ending.fault?.code ?? null,
    rule_ids: [...(ending.findings?.rule_ids ?? [])],
    approval_refs: row.approval_refs,
    result_hash: ending.result?.hash ?? null,
    new_snapshot_id: ending.head?.new_snapshot_id ?? null,
    commit_delta_id: ending.head?.delta_id ?? ending.outsideDeltaId ?? null,
    tx_outcome: ending.txOutcome,
    budget_delta: budgetDelta(row, ending),
    usage_counted_by: ending.countedBy ?? null,
    execution: executionOf(row),
    decision_record_id: row.decision_record_id,
    decision_hash: row.decision_hash,
    effect_digest: ending.effectDigest,
    ...egressOf(ending),
    actor: ending.actor ?? null,
    change: recordedChange(ending.changes),
  });
}
