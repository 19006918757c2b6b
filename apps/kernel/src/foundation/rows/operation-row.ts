// SPDX-License-Identifier: Apache-2.0
import type {
  AppliedRedaction,
  ApproverDemand,
  AutonomyMode,
  Budgets,
  CallLane,
  Erased,
  PreconditionRef,
  Provenance,
  Reason,
  Resolution,
  SchedulingClass,
  State,
  TxOutcome,
  UsageCounter,
  FullOutputView,
} from '@writ/contract';
import type { ContentRef } from './content-ref.ts';

/** The columns of an operation about its full output. */
export interface StoredOutput extends Omit<FullOutputView, 'href'> {
  readonly attempt: number;
}

/** What one attempt may use at most, and for a command the bytes of its output: see `decidedLimits`. */
export type DecidedLimits = Budgets & { readonly output_bytes?: number };

/** What a person found out about an ambiguous call: all of the columns are set, or none. */
export interface ResolutionColumns {
  readonly resolution: Resolution['outcome'] | null;
  readonly resolution_note: string | null;
  readonly resolved_at: number | null;
  /** an API key's id */
  readonly resolved_by: string | null;
  readonly resolution_record_id: string | null;
}

/** A row of kernel.operation as `to_jsonb` gives it. Times are milliseconds by the database's clock. */
export interface OperationRow extends ResolutionColumns {
  readonly operation_id: string;
  readonly tenant_id: string;
  readonly agent_id: string;
  readonly tool_id: string;
  readonly capability_token_id: string;
  readonly workspace_id: string | null;
  readonly session_id: string | null;
  readonly session_mode: 'interactive' | 'gateway' | 'scheduled';
  /** the key that proposed it */
  readonly proposed_by: string;
  /**
   * the persons who took part in the proposal; empty for a call from before this column, for which `proposed_by` counts
   */
  readonly proposers: string[];
  /** the pseudonym of the person on whose behalf it is made; null: none is known */
  readonly person: string | null;
  /** how many persons approved the call as it runs */
  readonly approvers: number;
  /** what was demanded of the groups of these persons, and they met; null: nothing */
  readonly demands_met: ApproverDemand[] | null;
  readonly proposal_digest: string;
  readonly state: State;
  readonly mutating: boolean;
  readonly lane: CallLane | null;
  readonly task_class: string;
  readonly scheduling_class: SchedulingClass;
  /** what stays of its content after its end */
  readonly retention: 'full' | 'hashes';
  readonly autonomy_mode: AutonomyMode;
  readonly risk_score: number;
  readonly risk_basis: string[];
  readonly reasons: Reason[];
  /** what is redacted of its result, by the rules that it was decided by; null: nothing */
  readonly redactions: AppliedRedaction[] | null;
  readonly provenance: Provenance;
  readonly precondition_refs: PreconditionRef[];
  readonly idempotency_key: string | null;
  readonly state_snapshot_id: string | null;
  readonly policy_hash: string;
  readonly tool_definition_digest: string | null;
  /** the registered resources that it was decided on, in the order in which its arguments name them */
  readonly resource_ids: string[];
  readonly args_hash: string | null;
  readonly action_digest: string | null;
  readonly image_digest: string | null;
  /** the most that the call may use in each dimension, bounded or not; null before it was admitted */
  readonly limits: DecidedLimits | null;
  /** the reservation in each dimension, the same along the whole chain */
  readonly reserved: Budgets;
  readonly deadline: number | null;
  readonly approval_id: string | null;
  readonly approval_refs: string[];
  readonly attempt: number;
  readonly executor_id: string | null;
  readonly nonce: string | null;
  readonly permit_until: number | null;
  readonly lease_until: number | null;
  readonly leases_lost: number;
  /** times that it went back to the queue because another call had changed its files */
  readonly reruns: number;
  /** the usage of the attempts before those, by dimension */
  readonly spent: Budgets;
  readonly effect_started: boolean;
  readonly cancel_requested: boolean;
  /** who killed its container, if it had to stop for that: an API key, or `platform` */
  readonly killed_by: string | null;
  /** the key that proposed it was revoked before it had ended */
  readonly key_revoked: boolean;
  readonly tx_outcome: TxOutcome | null;
  readonly fault_code: string | null;
  readonly fault_message: string | null;
  readonly fault_hint: string | null;
  readonly result_hash: string | null;
  readonly result_ref: ContentRef | null;
  /** the stored output of `attempt`, until `expires_at` */
  readonly whole_output: StoredOutput | null;
  /** set where its content was erased */
  readonly erased: Erased | null;
  /** the person its content is about, where the caller named one */
  readonly data_subject: string | null;
  /**
   * the key that its content is sealed under; null: it was admitted before calls had keys, and its content is under the
   * tenant's key
   */
  readonly payload_key: string | null;
  readonly effect_digest: string | null;
  readonly commit_delta_id: string | null;
  readonly new_snapshot_id: string | null;
  readonly budget_delta: Budgets | null;
  /**
   * the counter of that usage in the call's sandbox, for a call whose effect waits for a person; null where it was not
   * counted, and for every other call
   */
  readonly usage_counted_by: UsageCounter | null;
  readonly decision_record_id: string;
  readonly decision_hash: string;
  readonly outcome_record_id: string | null;
  readonly traceparent: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}
