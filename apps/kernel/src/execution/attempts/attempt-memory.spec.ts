// SPDX-License-Identifier: Apache-2.0
import type { AttemptFacts } from './attempt-facts.ts';
import { AttemptMemory } from './attempt-memory.ts';

const facts = { now: 1_000, operation: { operation_id: 'op_a', lease_until: 1_500 } } as AttemptFacts;
let clock = 0;
const remembering = (): AttemptMemory => {
  clock = 0;
  const memory = new AttemptMemory(() => clock);
  memory.remember(facts);
  return memory;
};

describe('the facts that a redemption read', () => {
  it('are returned once, with the time moved on', () => {
    const memory = remembering();
    clock = 20.4;
    expect(memory.consume('op_a')).toEqual({ ...facts, now: 1_020 });
    expect(memory.consume('op_a')).toBeNull();
    expect(memory.consume('op_b')).toBeNull();
  });

  it('are not returned once their lease has run out: a renewal may have moved it', () => {
    const memory = remembering();
    clock = 500;
    expect(memory.consume('op_a')).toBeNull();
  });
});
