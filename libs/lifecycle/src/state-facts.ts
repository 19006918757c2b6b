// SPDX-License-Identifier: Apache-2.0
import type { State, TxOutcome } from '@writ/contract';

interface StateFact {
  /** What the caller is told became of the transaction; null while it is open. */
  readonly outcome: TxOutcome | null;
  /** Whether the operation's budget reservation stands. */
  readonly reserves: boolean;
  /** Whether the operation's idempotency key stays claimed. */
  readonly claims: boolean;
}

/**
 * What each state means for money and memory. A held operation may wait for days, so it reserves nothing; what a staged
 * attempt used is settled when it is held. A refusal at admission claims no key: it did nothing that a second call
 * could double.
 */
const STATE_FACTS = {
  proposed: { outcome: null, reserves: false, claims: false },
  admitted: { outcome: null, reserves: true, claims: true },
  refused: { outcome: 'rolled_back', reserves: false, claims: false },
  held: { outcome: null, reserves: false, claims: true },
  dispatched: { outcome: null, reserves: true, claims: true },
  performing: { outcome: null, reserves: true, claims: true },
  performed: { outcome: null, reserves: true, claims: true },
  committed: { outcome: 'committed', reserves: false, claims: true },
  rolled_back: { outcome: 'rolled_back', reserves: false, claims: true },
  no_op: { outcome: 'no_op', reserves: false, claims: true },
  // Kept until an operator or a reconcile hook resolves it: what it did, and so what it used, is unknown.
  ambiguous: { outcome: 'ambiguous', reserves: true, claims: true },
} as const satisfies Record<State, StateFact>;

/** The transaction's outcome as the state tells it; null in a state that isn't final. */
export const txOutcomeOf = (state: State): TxOutcome | null => STATE_FACTS[state].outcome;

/** Answers whether an operation in the state holds a budget reservation. An ambiguous one does until it is resolved. */
export const holdsReservation = (state: State): boolean => STATE_FACTS[state].reserves;

/**
 * Answers whether an operation in the state holds its idempotency key. What was held or admitted before it was refused
 * keeps the key that it claimed then: a denial, or a cancellation, can't be asked away by sending the same call again.
 */
export const holdsIdempotencyKey = (state: State, wasClaimed = false): boolean =>
  STATE_FACTS[state].claims || (state === 'refused' && wasClaimed);
