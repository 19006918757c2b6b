// SPDX-License-Identifier: Apache-2.0
import { callCedar, CedarFailure } from '../cedar-instance.ts';
import { decidePolicy } from '../decide/decide-policy.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { compilePolicySet } from '../policy-set.ts';
import { DEFAULT_POLICY } from '../sets/default-policy.ts';
import { RULES_HELD_MAX, SLOTS, slotOf, slotsInUse } from './slots.ts';
import type { Piece } from './slices.ts';

const pieceOf = (name: string, size: number): Piece => ({
  key: name,
  size,
  policies: Object.fromEntries(
    Array.from({ length: size }, (_, n) => [`${name}-${n}`, 'permit (principal, action, resource);']),
  ),
});

test('tenants who share a set, or whose sets agree on a tool, share its slot', () => {
  // A new instance of Cedar has no rules from earlier tests.
  expect(() =>
    callCedar(() => {
      throw new Error('ends this instance');
    }),
  ).toThrow(CedarFailure);
  for (let tenant = 0; tenant < 20; tenant++) {
    expect(
      decidePolicy(
        compilePolicySet({ ...DEFAULT_POLICY, name: `of-${tenant}`, ttl: { approval_ms: 60_000 + tenant } }),
        PLAIN_ASK,
      ).mode,
    ).toBe('autopilot');
  }
  expect(slotsInUse().slots).toBe(1);
});

test('changing sets are decided correctly, and use no more than the available slots', () => {
  const sets = Array.from({ length: 20 }, (_, n) =>
    compilePolicySet({ v: 1, name: 'many', cedar: `@id("rule-${n}") permit (principal, action, resource);` }),
  );
  for (const round of [1, 2, 3]) {
    for (const set of sets) expect(decidePolicy(set, PLAIN_ASK).rule_ids).toEqual([...set.rules.keys()]);
    for (let n = 0; n < SLOTS; n++) slotOf(pieceOf(`round-${round}-${n}`, 1));
    expect(slotsInUse().slots).toBe(SLOTS);
  }
});

test('large pieces evict others before the limit on rules is exceeded', () => {
  for (let n = 0; n < 80; n++) slotOf(pieceOf(`large-${n}`, 1000));
  expect(slotsInUse().rules).toBeLessThanOrEqual(RULES_HELD_MAX);
  expect(slotsInUse().slots).toBeLessThan(SLOTS);
});
