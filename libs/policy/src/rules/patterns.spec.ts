// SPDX-License-Identifier: Apache-2.0
import { decidePolicy } from '../decide/decide-policy.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { compilePolicySet, type PolicySet } from '../policy-set.ts';
import { PolicySetError } from '../problems.ts';
import { PATTERN_CHARS_MAX } from './patterns.ts';

const rules = (count: number, pattern: string, around = (like: string): string => like): string =>
  Array.from(
    { length: count },
    (_, n) =>
      `@id("r${n}") forbid (principal, action, resource is File) when { ${around(`resource.path like "${pattern}"`)} };`,
  ).join('\n');
const setOf = (cedar: string): PolicySet =>
  compilePolicySet({ v: 1, name: 'test', cedar: `@id("all") permit (principal, action, resource);\n${cedar}` });
const problemOf = (cedar: string): unknown => {
  try {
    return setOf(cedar) && null;
  } catch (error) {
    if (error instanceof PolicySetError) return error.problems.map(({ message, line }) => [message.slice(0, 35), line]);
    throw error;
  }
};

const PATTERN = `*${'abcd'.repeat(32)}!`;
const COUNT_MAX = Math.floor(PATTERN_CHARS_MAX / (PATTERN.length - 1));

test('a set whose patterns are too long together is refused, at the rule that exceeds the limit', () => {
  expect(problemOf(rules(COUNT_MAX, PATTERN))).toBeNull();
  expect(problemOf(rules(COUNT_MAX + 1, PATTERN))).toEqual([['the patterns of `like` have more th', COUNT_MAX + 2]]);
});

test.each<[string, (like: string) => string]>([
  ['a negation', (like) => `!(${like})`],
  ['a condition', (like) => `if ${like} then true else false`],
  ['a set', (like) => `[${like}].contains(true)`],
  ['a record', (like) => `{ "a": ${like} }.a`],
])('a pattern within %s is counted', (_, around) => {
  expect(problemOf(rules(COUNT_MAX + 1, PATTERN, around))).not.toBeNull();
});

test("characters before the first wildcard aren't counted", () => {
  expect(problemOf(rules(COUNT_MAX + 1, `${PATTERN.slice(1)}*`))).toBeNull();
  expect(problemOf(rules(COUNT_MAX + 1, PATTERN.slice(1)))).toBeNull();
});

test('the longest patterns match the longest path in a fifth of a second of processor time', () => {
  const set = setOf(rules(COUNT_MAX, PATTERN));
  const ask = {
    ...PLAIN_ASK,
    resources: [{ kind: 'fs' as const, access: 'write' as const, path: 'abcd'.repeat(1_024) }],
  };
  decidePolicy(set, ask);
  const before = process.threadCpuUsage();
  expect(decidePolicy(set, ask).mode).toBe('autopilot');
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(200);
});
