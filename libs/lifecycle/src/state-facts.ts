// SPDX-License-Identifier: Apache-2.0
import type { State, TxOutcome } from '@writ/contract';

interface StateFact {
  /** The transaction's outcome for the caller; null while it is open. */
  readonly outcome: TxOutcome | null;
  /** Whether the operation's budget reservation is held. */
  readonly reserves: boolean;
  /** Whether the operation's idempotency key stays claimed. */
  readonly claims: boolean;
}

/**
 * What each state means for budget and idempotency key. A held operation may wait for days, so it reserves nothing; the
 * use of a staged attempt is settled when it is held. A refusal at admission claims no key: a second call could repeat
 * no effect.
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
  // Held until an operator or a reconcile hook resolves it: its effect, and so its use, is unknown.
  ambiguous: { outcome: 'ambiguous', reserves: true, claims: true },
} as const satisfies Record<State, StateFact>;

/** The transaction's outcome in the state; null in a state that isn't final. */
export const txOutcomeOf = (state: State): TxOutcome | null => STATE_FACTS[state].outcome;

/** Answers whether an operation in the state holds a budget reservation. An ambiguous one does until it is resolved. */
export const holdsReservation = (state: State): boolean => STATE_FACTS[state].reserves;

/**
 * Answers whether an operation in the state holds its idempotency key. A refusal of a held or admitted operation keeps
 * the key, so that sending the same call again can't circumvent a denial or a cancellation.
 */
export const holdsIdempotencyKey = (state: State, wasClaimed = false): boolean =>
  STATE_FACTS[state].claims || (state === 'refused' && wasClaimed);
