// SPDX-License-Identifier: Apache-2.0
import { FINAL_STATES, isFinal, STATES, type State } from '@writ/contract';
import {
  nextState,
  TransitionError,
  TRANSITION_LIST,
  transitionRows,
  verifyTransition,
  type LifecycleEvent,
} from './transitions.ts';

const entering = (state: State) => TRANSITION_LIST.filter(({ to }) => to === state).map(({ from }) => from);

describe('transitions', () => {
  test('the ordinary life of a call leads from proposed to committed', () => {
    let state: State = 'proposed';
    for (const event of ['admitted', 'dispatched', 'redeemed', 'reported', 'committed'] as const)
      state = nextState(state, event);
    expect(state).toBe('committed');
  });

  test('an event that is not in the table throws and names both', () => {
    expect(() => nextState('committed', 'held')).toThrow(TransitionError);
    expect(() => nextState('proposed', 'redeemed')).toThrow('no transition leads from `proposed` by `redeemed`');
    expect(() => nextState('proposed', 'toString' as LifecycleEvent)).toThrow(TransitionError);
  });

  test('a change of state without an event throws, also to the same state', () => {
    expect(verifyTransition('performing', 'performed')).toBe('performed');
    expect(() => verifyTransition('proposed', 'committed')).toThrow(TransitionError);
    for (const state of STATES) expect(() => verifyTransition(state, state)).toThrow(TransitionError);
  });

  test('committed is entered from performed only, and no_op also by a dry run', () => {
    expect(entering('committed')).toEqual(['performed']);
    expect(entering('no_op')).toEqual(['proposed', 'performed']);
  });

  test('an approval never dispatches: held leads to a new decision or to a checked effect', () => {
    const after = new Set(TRANSITION_LIST.filter(({ from }) => from === 'held').map(({ to }) => to));
    expect([...after].sort()).toEqual(['admitted', 'ambiguous', 'performed', 'refused', 'rolled_back']);
    expect(entering('dispatched')).toEqual(['admitted']);
  });

  test('only a redeemed permit performs', () => {
    expect(entering('performing')).toEqual(['dispatched']);
  });

  test('the states without transitions are the final ones', () => {
    const stuck = STATES.filter((state) => !TRANSITION_LIST.some(({ from }) => from === state));
    expect(new Set(stuck)).toEqual(new Set(FINAL_STATES));
    expect(stuck.every(isFinal)).toBe(true);
  });

  test('the SQL rows are the pairs of the table, each once', () => {
    const rows = transitionRows().split(',\n');
    expect(new Set(rows).size).toBe(rows.length);
    for (const { from, to } of TRANSITION_LIST) expect(rows).toContain(`('${from}','${to}')`);
    for (const row of rows) expect(row).toMatch(/^\('[a-z_]+','[a-z_]+'\)$/);
  });
});
