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
import type { EndingRequests } from './ending-requests.ts';
import { frozenHint, frozenWords, type FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { RulesInForce } from '../../foundation/rows/attempt-rows.ts';

/** Why a call didn't do what it was to do, as its caller reads it. */
export interface EndingFault {
  readonly code: FaultCode;
  readonly message: string;
  readonly hint: string | null;
}

/** The head that an ending was decided on, and what becomes of it: nulls leave it where it is. */
export interface HeadChange {
  readonly snapshot_id: string;
  readonly seq: number;
  readonly new_snapshot_id: string | null;
  readonly delta_id: string | null;
  /** what the new state holds more than the one before; there with a new state */
  readonly growth?: TreeSize;
}

/** What a call returned. `bytes` is its RFC 8785 JSON, null where it stays in the blob that `ref` names. */
export interface EndingResult {
  readonly hash: string;
  readonly ref: ContentRef | null;
  readonly bytes: Uint8Array | null;
}

/** How an operation is to end. */
export interface Ending {
  /** the way there from where it stands, the final state last */
  readonly states: readonly [State, ...State[]];
  /** null for a call that isn't over: its effect waits for a person */
  readonly txOutcome: TxOutcome | null;
  readonly fault: EndingFault | null;
  readonly result: EndingResult | null;
  readonly effectDigest: string | null;
  /** absent where nobody reported any */
  readonly requests?: EndingRequests | null;
  /** the empty delta of its snapshot, for a call that commits what it did outside and changed nothing here */
  readonly outsideDeltaId?: string;
  /** null where no head matters */
  readonly head: HeadChange | null;
  /** what was used, by dimension; null keeps the reservation, since what was used is unknown */
  readonly used: Budgets | null;
  /**
   * what was settled already when the call was held, or is counted by the statement that ends it: stands in the record
   * in place of `used`
   */
  readonly settled?: Budgets;
  /** who counted what was used in the call's sandbox, as its executor reported; null or absent where nobody did */
  readonly countedBy?: UsageCounter | null;
  /** who ended it, where somebody did: an API key's id */
  readonly actor?: string;
  /** the tenant's rules by which its effect was decided: with others now it is decided again */
  readonly rules?: RulesInForce;
  /** what policy says of its effect: ids for the record, and all reasons that the caller gets */
  readonly said?: { readonly rule_ids: readonly string[]; readonly reasons: readonly Reason[] };
  /** whether it may end so only while no token of the chain is revoked or expired and no freeze covers the call */
  readonly chainValid: boolean;
}

/** The fault of the code in the registry's words, or in these. */
export function endingFault(code: FaultCode, message?: string | null, hint?: string | null): EndingFault {
  return { code, message: message ?? FAULTS[code].message, hint: hint ?? null };
}

/** What ends a call whose API key was revoked. */
export const keyRevokedFault = (): EndingFault =>
  endingFault('key.revoked', null, 'propose the call anew with another key');

/** What stopped a call that was to stop while it ran. */
export function stoppedFault({ killed_by, key_revoked }: Pick<OperationRow, 'killed_by' | 'key_revoked'>): EndingFault {
  if (killed_by !== null) return endingFault('sandbox.killed');
  return key_revoked ? keyRevokedFault() : endingFault('cancelled');
}

/** What is said of an effect, after what was said of the call and once. */
export function saidBeside(
  before: readonly Reason[],
  { rule_ids, reasons }: NonNullable<Ending['said']>,
): NonNullable<Ending['said']> {
  const told = new Set(before.map(({ code, message }) => `${code}\n${message}`));
  return { rule_ids, reasons: [...before, ...reasons.filter(({ code, message }) => !told.has(`${code}\n${message}`))] };
}

/** What stopped a call that a freeze covers. */
export const frozenFault = (freeze: FreezeRow): EndingFault =>
  endingFault('frozen', frozenWords(freeze), frozenHint(freeze));

/** What the caller is told of a call that changed nothing: a read never had anything to roll back. */
export const nothingDone = (row: Pick<OperationRow, 'mutating'>): 'rolled_back' | 'no_op' =>
  row.mutating ? 'rolled_back' : 'no_op';

/**
 * The end of a call that nobody reported. Attempts that met a conflict used what they reported. Executors that were
 * lost used something, and nobody knows how much: then all that was reserved counts as used, so that killing executors
 * is no way around a budget. A call that no executor ever took is refused: nothing of it has to be undone, and it costs
 * nothing.
 */
export function unreportedEnding(row: OperationRow, fault: EndingFault): Ending {
  const ran = row.leases_lost > 0 || row.state === 'performing';
  const waited = row.state === 'admitted' && !ran && row.reruns === 0;
  return {
    states: [waited ? 'refused' : 'rolled_back'],
    txOutcome: nothingDone(row),
    fault,
    result: null,
    effectDigest: null,
    head: null,
    chainValid: false,
    used: ran ? row.reserved : row.spent,
  };
}

/**
 * The end of a call that may have done something outside: nobody knows, so nothing is given back and nothing is tried
 * again.
 */
export function ambiguousEnding(path: Ending['states'], fault: EndingFault = endingFault('effect.ambiguous')): Ending {
  return {
    states: path,
    txOutcome: 'ambiguous',
    fault,
    result: null,
    effectDigest: null,
    head: null,
    chainValid: false,
    used: null,
  };
}
