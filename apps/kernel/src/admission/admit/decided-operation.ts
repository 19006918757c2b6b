// SPDX-License-Identifier: Apache-2.0
import type { Reason, State, TxOutcome } from '@writ/contract';
import { actionDigest, type Action } from '@writ/digest';
import { schedulingClassOf } from '@writ/fairness';
import {
  unchangedOutcome,
  isMutating,
  laneOf,
  redactionsOf,
  reservedOf,
  type Judgement,
} from '../../judging/judgement/index.ts';
import type { SealedRecord } from '../../evidence/records/index.ts';
import type { OperationRow, ResolutionColumns } from '../../foundation/rows/operation-row.ts';
import type { Proposal } from './proposal.ts';

/** The columns that a decision sets. The rest of the row has its defaults. */
export type DecidedColumns = Omit<
  OperationRow,
  | 'approvers'
  | 'demands_met'
  | 'attempt'
  | 'executor_id'
  | 'nonce'
  | 'permit_until'
  | 'lease_until'
  | 'leases_lost'
  | 'reruns'
  | 'spent'
  | 'effect_started'
  | 'cancel_requested'
  | 'killed_by'
  | 'key_revoked'
  | 'result_hash'
  | 'result_ref'
  | 'whole_output'
  | 'erased'
  | 'effect_digest'
  | 'commit_delta_id'
  | 'new_snapshot_id'
  | 'budget_delta'
  | 'usage_counted_by'
  | 'outcome_record_id'
  | 'created_at'
  | 'updated_at'
  | keyof ResolutionColumns
>;

/**
 * The state of a call right after its decision. A dry run that isn't refused ends here: it was decided, and nothing
 * runs.
 */
export function stateOf(judgement: Judgement, dryRun: boolean): State {
  return dryRun && judgement.verdict !== 'refused' ? 'no_op' : judgement.verdict;
}

/** Whether the call may run, now or after its approval. */
export const mayRun = (state: State): boolean => state === 'admitted' || state === 'held';

/** Null while the call has not ended. */
export function outcomeOf(judgement: Judgement, dryRun: boolean): TxOutcome | null {
  if (judgement.verdict === 'refused') return unchangedOutcome(isMutating(judgement));
  return dryRun ? 'no_op' : null;
}

/** The longest message that a reason may carry, in characters. */
const MESSAGE_MAX = 2048;

/** The reasons that the caller gets. For a dry run they state the verdict that the call would get. */
export function reasonsOf(judgement: Judgement, dryRun: boolean): Reason[] {
  const reasons = judgement.reasons.map(({ code, message }) => ({ code, message: message.slice(0, MESSAGE_MAX) }));
  return dryRun
    ? [...reasons, { code: 'dry_run', message: `this was a dry run: the call would be ${judgement.verdict}` }]
    : reasons;
}

export interface SealedDecision {
  readonly proposal: Proposal;
  readonly judgement: Judgement;
  readonly action: Action;
  readonly approvalId: string | null;
  /** the id of the key that seals the content of the call */
  readonly keyId: string;
  readonly sealed: SealedRecord;
}

/** How the call is served and kept, which no policy decides. */
const handlingOf = (call: Proposal['call']): Pick<OperationRow, 'scheduling_class' | 'retention'> => ({
  scheduling_class: schedulingClassOf(call),
  retention: call.retention ?? 'full',
});

/** Why the call was refused; nulls for one that was not. */
const faultOf = ({ refusal }: Judgement): Pick<OperationRow, 'fault_code' | 'fault_message' | 'fault_hint'> => ({
  fault_code: refusal?.code ?? null,
  fault_message: refusal?.message.slice(0, MESSAGE_MAX) ?? null,
  fault_hint: refusal?.hint?.slice(0, MESSAGE_MAX) ?? null,
});

/** What the decision found, for the caller. */
const foundOf = (
  judgement: Judgement,
  dryRun: boolean,
): Pick<OperationRow, 'risk_score' | 'risk_basis' | 'reasons' | 'redactions'> => ({
  risk_score: judgement.risk_score,
  risk_basis: [...judgement.risk_basis],
  reasons: reasonsOf(judgement, dryRun),
  redactions: redactionsOf(judgement),
});

export function decidedColumns(decision: SealedDecision): DecidedColumns {
  const { proposal, judgement, action, approvalId, keyId, sealed } = decision;
  const { call } = proposal;
  const state = stateOf(judgement, call.dry_run);
  return {
    operation_id: call.operation_id,
    tenant_id: call.tenant_id,
    agent_id: call.agent_id,
    tool_id: call.tool_id,
    capability_token_id: call.capability_token_id,
    workspace_id: call.workspace_id,
    session_id: call.session_id,
    session_mode: call.session_mode,
    proposed_by: call.proposed_by,
    proposers: call.proposers ?? [call.proposed_by],
    person: call.person ?? null,
    proposal_digest: proposal.digest,
    state,
    mutating: isMutating(judgement),
    lane: mayRun(state) && judgement.tool !== null ? laneOf(judgement.tool) : null,
    task_class: call.task_class,
    ...handlingOf(call),
    data_subject: call.data_subject ?? null,
    payload_key: keyId,
    autonomy_mode: judgement.autonomy_mode,
    ...foundOf(judgement, call.dry_run),
    provenance: call.provenance,
    precondition_refs: call.precondition_refs,
    idempotency_key: call.idempotency_key,
    state_snapshot_id: action.state_snapshot_id,
    policy_hash: judgement.policy_hash,
    tool_definition_digest: action.tool_definition_digest,
    resource_ids: (judgement.tool?.bound ?? []).map(({ resource_id }) => resource_id),
    args_hash: action.args_hash,
    action_digest: actionDigest(action),
    image_digest: action.image_digest,
    limits: judgement.limits,
    reserved: state === 'admitted' ? reservedOf(judgement) : {},
    deadline: call.deadline,
    approval_id: approvalId,
    approval_refs: proposal.sessionGrant === null ? [] : [proposal.sessionGrant.approval_id],
    tx_outcome: outcomeOf(judgement, call.dry_run),
    ...faultOf(judgement),
    decision_record_id: sealed.record_id,
    decision_hash: sealed.digest,
    traceparent: proposal.traceparent,
  };
}
