// SPDX-License-Identifier: Apache-2.0
import type {
  AutonomyMode,
  Budgets,
  FsResource,
  Lane,
  Reason,
  ToolClass,
  ToolDefinition,
  TxOutcome,
  VerdictName,
} from '@writ/contract';
import type { TokenReservation } from '@writ/capability';
import type { Approvers } from '@writ/policy';
import type { ActivePolicy } from '../policies/policy-sets.ts';
import type { Refusal } from './call.ts';

/** What the kernel makes of a call, with all that it found on the way there. */
export interface Judgement {
  readonly verdict: VerdictName;
  /** set exactly when the verdict is `refused` */
  readonly refusal: Refusal | null;
  /** null for a tool that doesn't exist */
  readonly tool: ToolDefinition | null;
  readonly policy_hash: string;
  /** the snapshot that the call would run on; null where the token didn't reach one */
  readonly head: string | null;
  readonly autonomy_mode: AutonomyMode;
  readonly risk_score: number;
  readonly risk_basis: readonly string[];
  readonly rule_ids: readonly string[];
  readonly reasons: readonly Reason[];
  /** who must approve it while it is held; null where nobody is asked */
  readonly approvers: Approvers | null;
  /** how long it waits for them, in milliseconds */
  readonly approval_ms: number;
  /** what its arguments touch, as written and as links lead; empty where that wasn't found out */
  readonly touched: readonly FsResource[];
  /** what it brings into its session once it is admitted */
  readonly labels: readonly string[];
  readonly limits: Budgets | null;
  readonly reservations: readonly TokenReservation[];
  /** of a held call: what it waits for */
  readonly waits_for: 'action' | 'value';
  /** of a held call: what its preview may use; null where there is to be none */
  readonly preview: { readonly limits: Budgets; readonly reservations: readonly TokenReservation[] } | null;
}

/** Where a judgement starts: nothing is known, so nothing is allowed. */
export function unjudged(
  { hash, approvalMs }: Pick<ActivePolicy, 'hash' | 'approvalMs'>,
  tool: ToolDefinition | null,
): Judgement {
  return {
    verdict: 'refused',
    refusal: null,
    tool,
    policy_hash: hash,
    head: null,
    autonomy_mode: 'no_go',
    risk_score: 0,
    risk_basis: [],
    rule_ids: [],
    reasons: [],
    approvers: null,
    approval_ms: approvalMs,
    touched: [],
    waits_for: 'action',
    labels: [],
    limits: null,
    reservations: [],
    preview: null,
  };
}

/** The same, refused. */
export function refuse(so: Judgement, no: Refusal): Judgement {
  return { ...so, verdict: 'refused', refusal: no, reasons: no.reasons ?? [{ code: no.code, message: no.message }] };
}

/** Where calls of the class wait: each class has its own lane. */
export const laneOf = (toolClass: ToolClass): Lane => toolClass;

/**
 * Whether the call would change something. A tool that doesn't exist counts as one that does: its end reads as a
 * rollback.
 */
export const isMutating = (judgement: Judgement): boolean => judgement.tool?.mutating ?? true;

/** What a caller is told of a call that ended without running. */
export const endOf = (mutating: boolean): TxOutcome => (mutating ? 'rolled_back' : 'no_op');

/** The amount in each dimension: the same along the chain wherever a token bounds it. */
export function amountsOf(reservations: readonly TokenReservation[]): Budgets {
  return Object.assign({}, ...reservations.map(({ amounts }) => amounts)) as Budgets;
}

/** What an admitted call has reserved. */
export const reservedOf = ({ reservations }: Judgement): Budgets => amountsOf(reservations);
