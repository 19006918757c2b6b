// SPDX-License-Identifier: Apache-2.0
import { isFinal, STATES } from '@writ/contract';
import { holdsIdempotencyKey, holdsReservation, txOutcomeOf } from './state-facts.ts';

describe('the facts of a state', () => {
  test('exactly the final states have an outcome', () => {
    for (const state of STATES) expect(txOutcomeOf(state) !== null).toBe(isFinal(state));
    expect(txOutcomeOf('refused')).toBe('rolled_back');
    expect(txOutcomeOf('ambiguous')).toBe('ambiguous');
  });

  test('a held operation reserves no budget and keeps its key', () => {
    expect(holdsReservation('held')).toBe(false);
    expect(holdsIdempotencyKey('held')).toBe(true);
  });

  test('a reservation is held from admission until the outcome, and beyond it if that is ambiguous', () => {
    expect(STATES.filter(holdsReservation)).toEqual(['admitted', 'dispatched', 'performing', 'performed', 'ambiguous']);
  });

  test('a refusal claims no key, and admitted operations keep theirs', () => {
    expect(STATES.filter((state) => !holdsIdempotencyKey(state))).toEqual(['proposed', 'refused']);
  });
  test('a refusal of a held or admitted operation keeps its key', () => {
    expect(holdsIdempotencyKey('refused', true)).toBe(true);
    expect(holdsIdempotencyKey('proposed', true)).toBe(false);
  });
});
