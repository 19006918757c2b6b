// SPDX-License-Identifier: Apache-2.0
import { STATES, type State } from '@writ/contract';

/**
 * INVARIANT (one table): an operation changes state only by a row of this table; code uses it, and the kernel's
 * database enforces the same rows. An event is what happened; its row has the resulting state.
 * INVARIANT (committed is earned): the only way into `committed` leads from `performed`, where the effect was checked.
 * INVARIANT (one doubt, no retry): once an external effect was started that can't be repeated, no row leads back to
 * `admitted`; it commits or ends `ambiguous`. An attempt of an idempotent function may be followed by another one; if
 * none reports, the call ends `ambiguous` as well.
 */
export const TRANSITIONS = {
  proposed: {
    admitted: 'admitted',
    refused: 'refused',
    held: 'held',
    // Decided and recorded as any other call; nothing runs. One that is refused is `refused`.
    dry_run: 'no_op',
  },
  held: {
    // Decided again, with an approval or a value as another input.
    admitted: 'admitted',
    // No attempt ran yet, so a held call ends as a refusal with its own code, at no cost.
    refused: 'refused',
    denied: 'refused',
    expired: 'refused',
    cancelled: 'refused',
    superseded: 'refused',
    // With a staged effect: back to `performed`, where every check of a commit runs again.
    effect_approved: 'performed',
    effect_discarded: 'rolled_back',
    effect_unknown: 'ambiguous',
  },
  admitted: {
    dispatched: 'dispatched',
    // Before any attempt was redeemed: cancelled, expired, revoked or frozen while it waited in the queue.
    withdrawn: 'refused',
    // After an attempt ran and was lost or refused by a conflict: it used budget, so it isn't a refusal.
    cancelled: 'rolled_back',
    expired: 'rolled_back',
    attempts_exhausted: 'rolled_back',
    // An attempt of an idempotent function was lost before, and no other attempt follows.
    effect_unknown: 'ambiguous',
  },
  dispatched: {
    redeemed: 'performing',
    unredeemed: 'admitted',
    cancelled: 'rolled_back',
    expired: 'rolled_back',
    effect_unknown: 'ambiguous',
  },
  performing: {
    reported: 'performed',
    // The lease ran out and no external effect was started: the same call, another attempt.
    lease_lost: 'admitted',
    attempts_exhausted: 'rolled_back',
    cancelled: 'rolled_back',
    expired: 'rolled_back',
    // The lease ran out, or the call was cancelled, after an external effect was started.
    effect_unknown: 'ambiguous',
  },
  performed: {
    committed: 'committed',
    rolled_back: 'rolled_back',
    no_op: 'no_op',
    // Policy requires a person to see the effect; its delta stays staged.
    held: 'held',
    // An inline call whose paths were changed by another runs again on the new head.
    conflicted: 'admitted',
    effect_unknown: 'ambiguous',
  },
  // Final states. An ambiguous call is resolved by a separate record and keeps its state.
  refused: {},
  committed: {},
  rolled_back: {},
  no_op: {},
  ambiguous: {},
} as const satisfies Record<State, Readonly<Record<string, State>>>;

/** The events of an operation, over all states. */
export type LifecycleEvent = { [S in State]: keyof (typeof TRANSITIONS)[S] }[State] & string;

/** One permitted change of state. */
export interface Transition {
  readonly from: State;
  readonly event: LifecycleEvent;
  readonly to: State;
}

/** Every row of the table, in the order of `STATES` and then of the table. */
export const TRANSITION_LIST: readonly Transition[] = STATES.flatMap((from) =>
  Object.entries(TRANSITIONS[from] as Readonly<Record<string, State>>).map(([event, to]) => ({
    from,
    event: event as LifecycleEvent,
    to,
  })),
);

/** A state and an event that no row allows. A bug of the caller, not a fault of a call. */
export class TransitionError extends Error {
  readonly from: string;
  readonly wanted: string;

  constructor(from: string, wanted: string) {
    super(`no transition leads from \`${from}\` by \`${wanted}\``);
    this.name = 'TransitionError';
    this.from = from;
    this.wanted = wanted;
  }
}

/** The state after the event. Throws `TransitionError` for anything that isn't in the table. */
export function nextState(from: State, event: LifecycleEvent): State {
  const row = TRANSITION_LIST.find((transition) => transition.from === from && transition.event === event);
  if (!row) throw new TransitionError(from, event);
  return row.to;
}

/** Returns `to` if some event leads there from `from`; throws `TransitionError` otherwise, also if both are equal. */
export function verifyTransition(from: State, to: State): State {
  if (!TRANSITION_LIST.some((transition) => transition.from === from && transition.to === to))
    throw new TransitionError(from, to);
  return to;
}

/**
 * The table as rows of an SQL `VALUES` list, `('from','to')` one per line and each pair once, for the trigger that
 * enforces it: `INSERT INTO … (from_state, to_state) VALUES ${transitionRows()}`. It contains only the closed words of
 * the table.
 */
export function transitionRows(): string {
  const pairs = new Set(TRANSITION_LIST.map(({ from, to }) => `('${from}','${to}')`));
  return [...pairs].join(',\n');
}
