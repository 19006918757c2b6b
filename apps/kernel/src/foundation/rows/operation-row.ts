// SPDX-License-Identifier: Apache-2.0
import type {
  AutonomyMode,
  Budgets,
  Erased,
  Lane,
  PreconditionRef,
  Provenance,
  Reason,
  Resolution,
  State,
  TxOutcome,
  UsageCounter,
  WholeOutputView,
} from '@writ/contract';
import type { ContentRef } from './content-ref.ts';

/** What an operation says of its full output. */
export interface KeptOf extends Omit<WholeOutputView, 'href'> {
  readonly attempt: number;
}

/** What somebody found out about an ambiguous call: all of it, or none. */
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
  /** the persons who had a hand in it; empty for one of before, which `proposed_by` stands for */
  readonly proposers: string[];
  /** how many persons have approved what it runs as */
  readonly approvers: number;
  readonly proposal_digest: string;
  readonly state: State;
  readonly mutating: boolean;
  readonly lane: Lane | null;
  readonly task_class: string;
  readonly autonomy_mode: AutonomyMode;
  readonly risk_score: number;
  readonly risk_basis: string[];
  readonly reasons: Reason[];
  readonly provenance: Provenance;
  readonly precondition_refs: PreconditionRef[];
  readonly idempotency_key: string | null;
  readonly state_snapshot_id: string | null;
  readonly policy_hash: string;
  readonly tool_definition_digest: string | null;
  readonly args_hash: string | null;
  readonly action_digest: string | null;
  readonly image_digest: string | null;
  /** what one call may use at most, by dimension, bounded or not; null before it was admitted */
  readonly limits: Budgets | null;
  /** what stands reserved in each dimension, the same along the whole chain */
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
  /** what the attempts before those used, by dimension */
  readonly spent: Budgets;
  readonly effect_started: boolean;
  readonly cancel_requested: boolean;
  /** who killed its container, where that is why it was to stop: an API key, or `platform` */
  readonly killed_by: string | null;
  /** the key that proposed it was revoked before it had ended */
  readonly key_revoked: boolean;
  readonly tx_outcome: TxOutcome | null;
  readonly fault_code: string | null;
  readonly fault_message: string | null;
  readonly fault_hint: string | null;
  readonly result_hash: string | null;
  readonly result_ref: ContentRef | null;
  /** what is kept of the output of `attempt`, or was until `expires_at` */
  readonly whole_output: KeptOf | null;
  /** where its content is gone */
  readonly erased: Erased | null;
  /** whom its content is about, where the caller said so */
  readonly data_subject: string | null;
  /**
   * what its content is sealed under; null: it was admitted before there were keys of calls, and is under its tenant's
   */
  readonly payload_key: string | null;
  readonly effect_digest: string | null;
  readonly commit_delta_id: string | null;
  readonly new_snapshot_id: string | null;
  readonly budget_delta: Budgets | null;
  /**
   * who counted that in the call's sandbox, of a call whose effect waits for a person; null where nobody did, and for
   * every other call
   */
  readonly usage_counted_by: UsageCounter | null;
  readonly decision_record_id: string;
  readonly decision_hash: string;
  readonly outcome_record_id: string | null;
  readonly traceparent: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}
