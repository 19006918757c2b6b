// SPDX-License-Identifier: Apache-2.0
import { actionDigest, type Action } from '@writ/digest';
import { type Reason } from '@writ/contract';
import {
  demandsColumn,
  type ApprovalClosing,
  type ClosedApproval,
  type HeldCalls,
} from '../../execution/held/index.ts';
import { actionOf, decisionRecord, redactionsOf, sealDecision } from '../../judging/judgement/index.ts';
import type { SealedRecord } from '../../evidence/records/index.ts';
import { makeSessionGrant } from './session-grant.ts';
import type { DecisionDependencies, Rejudged } from './judge-held.ts';

/** The decision that follows a person's approval, with its sealed records. */
export interface NewDecision {
  readonly action: Action;
  /** the record of the approval, then of the decision, then of a session grant */
  readonly records: readonly SealedRecord[];
  /** columns of the operation */
  readonly columns: Readonly<Record<string, unknown>>;
  /** the parameter of kernel.close_approval */
  readonly approval: ClosedApproval['columns'];
  /** for the caller, in addition to the reasons of the judgement */
  readonly callerReasons: readonly Reason[];
}

/**
 * @throws Fault `conflict`, `token.depth` for a session grant that the call can't get. `snapshot`: the state that the
 * call runs on, where that isn't the current head.
 */
export function newDecision(
  dependencies: DecisionDependencies,
  heldCalls: HeldCalls,
  rejudged: Rejudged,
  closing: ApprovalClosing,
  snapshot?: string,
): NewDecision {
  const { held, judgement, facts } = rejudged;
  const { operation, approval } = held;
  const action = actionOf(
    operation,
    snapshot === undefined ? judgement : { ...judgement, head: snapshot },
    operation.args_hash,
    dependencies.images,
  );
  const approvalRefs = [...operation.approval_refs, approval.approval_id];
  const closed = heldCalls.close(held, closing);
  const record = decisionRecord({ ...operation, recorded_at: facts.now, action }, judgement, 'admitted', null);
  const decision = sealDecision(dependencies.sealer, { ...record, approval_refs: approvalRefs }, action);
  const session = closing.session
    ? makeSessionGrant(dependencies.sealer, rejudged, closing.actor, closing.session)
    : null;
  return {
    action,
    records: [...closed.records, decision, ...(session === null ? [] : [session.record])],
    approval: {
      ...closed.columns,
      ...(session === null ? {} : { token: session.columns }),
      ...(closing.given === undefined ? {} : { value: closing.given.columns }),
    },
    callerReasons: session === null ? [] : [session.reason],
    columns: {
      operation_id: operation.operation_id,
      autonomy_mode: judgement.autonomy_mode,
      risk_score: judgement.risk_score,
      risk_basis: judgement.risk_basis,
      reasons: judgement.reasons,
      redactions: redactionsOf(judgement),
      state_snapshot_id: action.state_snapshot_id,
      policy_hash: judgement.policy_hash,
      tool_definition_digest: action.tool_definition_digest,
      action_digest: actionDigest(action),
      image_digest: action.image_digest,
      approval_refs: approvalRefs,
      ...approversOf(closing),
      decision_record_id: decision.record_id,
      decision_hash: decision.digest,
    },
  };
}

/** How many persons approved it, and what was demanded of their groups. */
const approversOf = ({ vote, demands }: ApprovalClosing) => ({
  approvers: (vote?.seen.votes.length ?? 0) + 1,
  demands_met: demandsColumn(demands ?? []),
});
