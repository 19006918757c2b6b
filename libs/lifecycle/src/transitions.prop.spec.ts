// SPDX-License-Identifier: Apache-2.0
import { isFinal, STATES, type State } from '@writ/contract';
import fc from 'fast-check';
import { nextState, TRANSITION_LIST, verifyTransition, type LifecycleEvent } from './transitions.ts';

const events = [...new Set(TRANSITION_LIST.map(({ event }) => event))];

function reachableFrom(start: State): Set<State> {
  const seen = new Set<State>([start]);
  for (const state of seen) for (const { from, to } of TRANSITION_LIST) if (from === state) seen.add(to);
  return seen;
}

describe('the transition table', () => {
  test('every state is reached from proposed', () => {
    expect(reachableFrom('proposed')).toEqual(new Set(STATES));
  });

  test('every state reaches a final one', () => {
    for (const state of STATES) expect([...reachableFrom(state)].some(isFinal)).toBe(true);
  });

  test('no sequence of events leaves a final state', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events), { maxLength: 40 }), (run) => {
        let state: State = 'proposed';
        for (const event of run) {
          const before: State = state;
          try {
            state = nextState(state, event);
          } catch {
            continue;
          }
          expect(isFinal(before)).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('events and pairs describe the same table', () => {
    fc.assert(
      fc.property(fc.constantFrom(...STATES), fc.constantFrom(...STATES), (from, to) => {
        const byEvent = events.some((event: LifecycleEvent) => leads(from, event) === to);
        let byPair = true;
        try {
          verifyTransition(from, to);
        } catch {
          byPair = false;
        }
        expect(byPair).toBe(byEvent);
      }),
      { numRuns: 500 },
    );
  });
});

function leads(from: State, event: LifecycleEvent): State | undefined {
  try {
    return nextState(from, event);
  } catch {
    return undefined;
  }
}
