// SPDX-License-Identifier: Apache-2.0
import type {
  AppliedRedaction,
  AutonomyMode,
  Budgets,
  FsResource,
  CallLane,
  Reason,
  ToolDefinition,
  TxOutcome,
  VerdictName,
} from '@writ/contract';
import type { TokenReservation } from '@writ/capability';
import type { Approvers } from '@writ/policy';
import type { ActivePolicy, PolicyWaiting } from '../policies/policy-sets.ts';
import type { DecidedLimits } from '../../foundation/rows/operation-row.ts';
import type { Refusal } from './call.ts';
import type { PreviewBudget } from './decide-preview.ts';

/** The kernel's judgement of a call, with all that it found out on the way. */
export interface Judgement {
  readonly verdict: VerdictName;
  /** set exactly when the verdict is `refused` */
  readonly refusal: Refusal | null;
  /** null for a tool that doesn't exist */
  readonly tool: ToolDefinition | null;
  readonly policy_hash: string;
  /** `sha256:…` of the tenant's image that it would run in; null where the deployment decides */
  readonly image: string | null;
  /** the snapshot that the call would run on; null where the token didn't reach one */
  readonly head: string | null;
  readonly autonomy_mode: AutonomyMode;
  readonly risk_score: number;
  readonly risk_basis: readonly string[];
  readonly rule_ids: readonly string[];
  readonly reasons: readonly Reason[];
  /** what rules redact of its result */
  readonly redactions: readonly AppliedRedaction[];
  /** the persons who must approve it while it is held; null where none must */
  readonly approvers: Approvers | null;
  /** how long it waits for them, in milliseconds */
  readonly approval_ms: number;
  /** what happens while it waits; null: nothing */
  readonly waiting: PolicyWaiting | null;
  /** how long its previewed effect may be approved as it was shown, in milliseconds */
  readonly preview_ms: number;
  /** how long a session grant lives whose approver sets no time, in milliseconds */
  readonly session_grant_ms: number;
  /** the files that its arguments touch, as written and as links resolve; empty where that wasn't found out */
  readonly touched: readonly FsResource[];
  /** the labels that it brings into its session once it is admitted */
  readonly labels: readonly string[];
  readonly limits: DecidedLimits | null;
  readonly reservations: readonly TokenReservation[];
  /** for a held call: what it waits for */
  readonly waits_for: 'action' | 'value';
  /** for a held call: what its preview may use; null where it has none */
  readonly preview: PreviewBudget | null;
}

/** The start of a judgement: nothing is found out yet, so nothing is allowed. */
export function initialJudgement(
  { hash, approvalMs, waiting, previewMs, sessionGrantMs }: ActivePolicy,
  tool: ToolDefinition | null,
): Judgement {
  return {
    verdict: 'refused',
    refusal: null,
    tool,
    policy_hash: hash,
    image: null,
    head: null,
    autonomy_mode: 'no_go',
    risk_score: 0,
    risk_basis: [],
    rule_ids: [],
    reasons: [],
    redactions: [],
    approvers: null,
    approval_ms: approvalMs,
    waiting,
    preview_ms: previewMs,
    session_grant_ms: sessionGrantMs,
    touched: [],
    waits_for: 'action',
    labels: [],
    limits: null,
    reservations: [],
    preview: null,
  };
}

/** The same, refused. */
export function refuse(judgement: Judgement, refusal: Refusal): Judgement {
  return {
    ...judgement,
    verdict: 'refused',
    refusal,
    reasons: refusal.reasons ?? [{ code: refusal.code, message: refusal.message }],
  };
}

/** The lane where calls of a tool wait: each class has its own, and some tools wait in another. */
export const laneOf = ({ lane, class: own }: Pick<ToolDefinition, 'lane' | 'class'>): CallLane => lane ?? own;

/**
 * Whether the call would change something. A tool that doesn't exist counts as one that does: its end reads as a
 * rollback.
 */
export const isMutating = (judgement: Judgement): boolean => judgement.tool?.mutating ?? true;

/** The outcome of a call that ended without running. */
export const unchangedOutcome = (mutating: boolean): TxOutcome => (mutating ? 'rolled_back' : 'no_op');

/** What is redacted of the call's result, as its row has it. */
export const redactionsOf = ({ redactions }: Judgement): AppliedRedaction[] | null =>
  redactions.length === 0 ? null : [...redactions];

/** The amount in each dimension: the same along the chain wherever a token bounds it. */
export function amountsOf(reservations: readonly TokenReservation[]): Budgets {
  return Object.assign({}, ...reservations.map(({ amounts }) => amounts)) as Budgets;
}

/** The reservation of an admitted call. */
export const reservedOf = ({ reservations }: Judgement): Budgets => amountsOf(reservations);
