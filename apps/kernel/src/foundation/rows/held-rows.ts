// SPDX-License-Identifier: Apache-2.0
import type { ApproverDemand, ApprovalView, UnmetNeed, AutonomyMode, Budgets, Reason, VoteCount } from '@writ/contract';
import type { ArgumentsRef } from './content-ref.ts';
import type { OperationRow } from './operation-row.ts';

/** Whom an approval is reserved for. */
export interface ReservedFor {
  /** each must be met; null: none */
  readonly demands: readonly ApproverDemand[] | null;
  /** the groups of the escalations that were taken, whose members may approve too */
  readonly escalated_to: readonly string[];
}

/** A row of kernel.approval as `to_jsonb` gives it. */
export interface ApprovalRow extends ReservedFor {
  readonly approval_id: string;
  readonly tenant_id: string;
  readonly operation_id: string;
  /** of the action with the snapshot left out: see `approvedDigest` */
  readonly action_digest: string;
  readonly autonomy_mode: AutonomyMode;
  readonly of: ApprovalView['of'];
  /** of the staged effect that an approval commits; null for an approval of the action */
  readonly effect_digest: string | null;
  readonly state: ApprovalView['state'];
  readonly reasons: Reason[];
  readonly created_at: number;
  readonly expires_at: number;
  readonly decided_at: number | null;
  readonly decided_by: string | null;
  readonly comment: string | null;
  /** the call that replaces it, after a person edited the arguments */
  readonly superseded_by: string | null;
  /** the token of the session grant */
  readonly session_token_id: string | null;
  /** how many persons must approve */
  readonly quorum: number;
  /** grows whenever the request to them changes: a vote counts for one version of the request */
  readonly asked: number;
  /** the steps of its escalation; null: none */
  readonly escalations: readonly { readonly after_ms: number; readonly to: readonly string[] }[] | null;
  /** how many of them were taken */
  readonly escalated: number;
  /** that of its call when it was held; null: it was decided before approvals had one */
  readonly risk_score: number | null;
  /** the key of alike calls; null as above */
  readonly alike: string | null;
  /** how long before its end reminders are sent, in milliseconds, and how many were */
  readonly reminders: readonly number[];
  readonly reminded: number;
}

/** A row of kernel.preview as `to_jsonb` gives it. */
export interface PreviewRow {
  readonly operation_id: string;
  readonly state: 'waiting' | 'dispatched' | 'performing' | 'ready' | 'failed' | 'abandoned';
  readonly round: number;
  readonly attempt: number;
  readonly state_snapshot_id: string;
  readonly executor_id: string | null;
  readonly nonce: string | null;
  readonly lease_until: number | null;
  readonly reserved: Budgets;
  readonly effect_digest: string | null;
  readonly fault_code: string | null;
  readonly fault_message: string | null;
  readonly would_ask_for: UnmetNeed[] | null;
  readonly used: Budgets | null;
  /** when its state changed last: of a `ready` one, when its effect was found */
  readonly updated_at: number;
}

/** A role that may approve a held call. An administrator also counts as an operator. */
export type VoteRole = VoteCount['role'];

/** A row of kernel.vote as kernel.votes_of gives it. */
export interface VoteRow {
  readonly vote_id: string;
  readonly says: 'approve' | 'deny';
  /** the person whose vote it is; `cast_as` is the person behind the key that cast it */
  readonly principal: string;
  readonly role: VoteRole;
  readonly cast_by: string;
  readonly cast_as: string;
  readonly delegation_id: string | null;
  readonly effect_digest: string | null;
  readonly comment: string | null;
  readonly record_id: string | null;
  readonly created_at: number;
  /**
   * whether it is for the present version of the request, by a right that was not revoked, of a person whom the
   * approval is reserved for
   */
  readonly stands: boolean;
  /** the groups that the person and the one who cast it are both members of; a kernel of before reads none */
  readonly groups?: readonly string[];
}

/** A held call with what counting its votes needs. */
export interface VotedCall extends ReservedFor {
  readonly autonomy_mode: AutonomyMode;
  readonly quorum: number;
  readonly votes: readonly VoteRow[];
}

/** One item of the reply of kernel.votes_on. */
export type VotedOperation = VotedCall & { readonly operation_id: string };

/** A call that waits, or waited, for a person, with its stored arguments and effect. */
export interface HeldCall {
  /** milliseconds by the database's clock */
  readonly now: number;
  readonly approval: ApprovalRow;
  readonly operation: OperationRow;
  /** null for a call that has none */
  readonly preview: PreviewRow | null;
  /** sealed, base64; null where they came by reference or were erased */
  readonly args: string | null;
  readonly args_ref: ArgumentsRef | null;
  /** the staged effect, sealed, base64 */
  readonly staged: string | null;
  /** oldest first, for every version of the request */
  readonly votes: readonly VoteRow[];
  /** the person who activated the policy that it is held under; null for the default policy */
  readonly policy_author?: string | null;
}
