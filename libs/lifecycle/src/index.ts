// SPDX-License-Identifier: Apache-2.0
export { holdsIdempotencyKey, holdsReservation, txOutcomeOf } from './state-facts.ts';
export {
  nextState,
  TransitionError,
  TRANSITION_LIST,
  transitionRows,
  TRANSITIONS,
  verifyTransition,
  type LifecycleEvent,
  type Transition,
} from './transitions.ts';
