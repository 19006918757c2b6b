// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import type { AutonomyMode } from '@writ/contract';
import { parse } from 'yaml';
import type { PolicyAsk } from './ask.ts';
import { decidePolicy } from './decide-policy.ts';
import { DEFAULT_POLICY } from './default-policy.ts';
import { PLAIN_ASK } from './plain-ask.contract.ts';
import { compilePolicySet } from './policy-set.ts';

interface CaseGroup {
  readonly title: string;
  readonly mode: AutonomyMode;
  readonly rules: readonly string[];
  readonly asks: readonly Partial<PolicyAsk>[];
}

const cases = new URL('../cases/', import.meta.url);
const groups = readdirSync(cases).flatMap((file) => parse(readFileSync(new URL(file, cases), 'utf8')) as CaseGroup[]);
const set = compilePolicySet(DEFAULT_POLICY);

describe.each(groups)('$title', ({ mode, rules, asks }) => {
  test.each(asks)('%j', (changes) => {
    const decision = decidePolicy(set, { ...PLAIN_ASK, ...changes });
    expect({ mode: decision.mode, rules: [...decision.rule_ids].sort(), errors: decision.errors }).toEqual({ mode, rules, errors: [] });
  });
});

test('every rule of the default set decides some case', () => {
  const decisive = new Set(groups.flatMap(({ rules }) => rules));
  // The effect's own rule is decided where effects are.
  const silent = [...set.rules.keys()].filter((id) => !decisive.has(id) && !id.startsWith('effect.'));
  expect(silent).toEqual([]);
});

test('every rule of the default set says why in words', () => {
  for (const { id, reason } of set.rules.values()) expect(reason).not.toContain(`\`${id}\``);
});
