// SPDX-License-Identifier: Apache-2.0
import {
  FAULTS,
  type Budgets,
  type FaultCode,
  type Reason,
  type State,
  type TxOutcome,
  type UsageCounter,
} from '@writ/contract';
import type { TreeSize } from '@writ/workspace';
import type { ContentRef } from '../../foundation/rows/content-ref.ts';
import type { ResourceChange } from './resource-changes.ts';
import type { OutcomeRequests } from './outcome-requests.ts';
import { freezeHint, freezeMessage, type FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { RulesInForce } from '../../foundation/rows/attempt-rows.ts';

/** Why a call didn't do what it was to do, in words for its caller. */
export interface OutcomeFault {
  readonly code: FaultCode;
  readonly message: string;
  readonly hint: string | null;
}

/** The head that an ending was decided on, and the new one: nulls leave the head where it is. */
export interface HeadChange {
  readonly snapshot_id: string;
  readonly seq: number;
  readonly new_snapshot_id: string | null;
  readonly delta_id: string | null;
  /** the size of the new state minus that of the one before; set with a new state */
  readonly growth?: TreeSize;
}

/** The result of a call. `bytes` is its RFC 8785 JSON, null where it stays in the blob that `ref` names. */
export interface OutcomeResult {
  readonly hash: string;
  readonly ref: ContentRef | null;
  readonly bytes: Uint8Array | null;
}

/** How an operation is to end. */
export interface OutcomeDraft {
  /** the states from its present one on, the final state last */
  readonly states: readonly [State, ...State[]];
  /** null for a call that isn't over: its effect waits for a person */
  readonly txOutcome: TxOutcome | null;
  readonly fault: OutcomeFault | null;
  readonly result: OutcomeResult | null;
  readonly effectDigest: string | null;
  /** absent where none were reported */
  readonly requests?: OutcomeRequests | null;
  /** the empty delta of its snapshot, for a call that commits what it did outside and changed nothing here */
  readonly outsideDeltaId?: string;
  /** what it does to the kernel's own tables: written with it, or not at all; absent: nothing */
  readonly changes?: readonly ResourceChange[];
  /** null where no head matters */
  readonly head: HeadChange | null;
  /** usage by dimension; null keeps the reservation, since the usage is unknown */
  readonly used: Budgets | null;
  /**
   * usage that was settled already when the call was held, or that the statement which ends the call counts: it is in
   * the record in place of `used`
   */
  readonly settled?: Budgets;
  /** who counted the usage in the call's sandbox, as its executor reported; null or absent where it was not counted */
  readonly countedBy?: UsageCounter | null;
  /** who ended it, where a person did: an API key's id */
  readonly actor?: string;
  /** the tenant's rules by which its effect was decided: if they have changed, it is decided again */
  readonly rules?: RulesInForce;
  /** policy's findings on its effect: ids for the record, and all reasons that the caller gets */
  readonly findings?: { readonly rule_ids: readonly string[]; readonly reasons: readonly Reason[] };
  /** whether it may end so only while no token of the chain is revoked or expired and no freeze covers the call */
  readonly chainValid: boolean;
}

/** The fault of the code, with the registry's message unless one is given. */
export function outcomeFault(code: FaultCode, message?: string | null, hint?: string | null): OutcomeFault {
  return { code, message: message ?? FAULTS[code].message, hint: hint ?? null };
}

/** The fault of a call whose API key was revoked. */
export const keyRevokedFault = (): OutcomeFault =>
  outcomeFault('key.revoked', null, 'propose the call anew with another key');

/** The fault of a call that was requested to stop while it ran. */
export function stoppedFault({
  killed_by,
  key_revoked,
}: Pick<OperationRow, 'killed_by' | 'key_revoked'>): OutcomeFault {
  if (killed_by !== null) return outcomeFault('sandbox.killed');
  return key_revoked ? keyRevokedFault() : outcomeFault('cancelled');
}

/** Adds the reasons for an effect to those for its call, each once. */
export function mergeReasons(
  before: readonly Reason[],
  { rule_ids, reasons }: NonNullable<OutcomeDraft['findings']>,
): NonNullable<OutcomeDraft['findings']> {
  const seen = new Set(before.map(({ code, message }) => `${code}\n${message}`));
  return { rule_ids, reasons: [...before, ...reasons.filter(({ code, message }) => !seen.has(`${code}\n${message}`))] };
}

/** The fault of a call that a freeze covers. */
export const frozenFault = (freeze: FreezeRow): OutcomeFault =>
  outcomeFault('frozen', freezeMessage(freeze), freezeHint(freeze));

/** The outcome of a call that changed nothing: a read never had anything to roll back. */
export const unchangedOutcomeOf = (row: Pick<OperationRow, 'mutating'>): 'rolled_back' | 'no_op' =>
  row.mutating ? 'rolled_back' : 'no_op';

/**
 * The end of a call that was not reported. Attempts that met a conflict used what they reported. Executors that were
 * lost used an unknown amount: then all that was reserved counts as used, so that killing executors is no way around a
 * budget. A call that was never redeemed is refused: nothing of it has to be undone, and it costs nothing.
 */
export function unreportedOutcome(row: OperationRow, fault: OutcomeFault): OutcomeDraft {
  const ran = row.leases_lost > 0 || row.state === 'performing';
  // An attempt of an idempotent function that nobody reported may have taken effect.
  if (ran && row.mutating && isOutsideLane(row)) return ambiguousOutcome(['ambiguous']);
  const waited = row.state === 'admitted' && !ran && row.reruns === 0;
  return {
    states: [waited ? 'refused' : 'rolled_back'],
    txOutcome: unchangedOutcomeOf(row),
    fault,
    result: null,
    effectDigest: null,
    head: null,
    chainValid: false,
    used: ran ? row.reserved : row.spent,
  };
}

/** Answers whether a process of the tenant runs the call, which Writ doesn't contain. */
export const isOutsideLane = ({ lane }: Pick<OperationRow, 'lane'>): boolean =>
  lane === 'function' || lane === 'caller';

/**
 * The end of a call that may have done something outside: the outcome is unknown, so nothing is refunded and nothing is
 * retried.
 */
export function ambiguousOutcome(
  states: OutcomeDraft['states'],
  fault: OutcomeFault = outcomeFault('effect.ambiguous'),
): OutcomeDraft {
  return {
    states,
    txOutcome: 'ambiguous',
    fault,
    result: null,
    effectDigest: null,
    head: null,
    chainValid: false,
    used: null,
  };
}
