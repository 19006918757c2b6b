// SPDX-License-Identifier: Apache-2.0
import { decidePolicy } from '../decide/decide-policy.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { compilePolicySet } from '../policy-set.ts';
import { PolicySetError } from '../problems.ts';
import { RULE_LIMITS } from './complexity.ts';

const when = (condition: string): string => `@id("a") permit (principal, action, resource) when { ${condition} };`;
const setOf = (cedar: string) => compilePolicySet({ v: 1, name: 'test', cedar });
const problemsOf = (cedar: string) => {
  try {
    return setOf(cedar) && [];
  } catch (error) {
    if (error instanceof PolicySetError) return error.problems.map(({ message, line }) => [message, line]);
    throw error;
  }
};
const chain = (n: number, operator: string, term = 'context.risk_milli'): string =>
  Array.from({ length: n }, () => term).join(` ${operator} `);

/** Ways to make a parser recurse, each `n` times. */
const DEEP: Readonly<Record<string, (n: number) => string>> = {
  parentheses: (n) => when(`${'('.repeat(n)}true${')'.repeat(n)}`),
  negations: (n) => when(`${'!('.repeat(n)}true${')'.repeat(n)}`),
  sets: (n) => when(`${'['.repeat(n)}1${']'.repeat(n)}.isEmpty()`),
  records: (n) => when(`${'{a:'.repeat(n)}1${'}'.repeat(n)} has a`),
  calls: (n) => when(`${'[true].contains('.repeat(n)}true${')'.repeat(n)}`),
  conjunctions: (n) => when(chain(n, '&&', 'context.staged_change')),
  disjunctions: (n) => when(chain(n, '||', 'context["staged_change"]')),
  sums: (n) => when(`${chain(n, '+')} > 1`),
  conditionals: (n) => when(`${'if true then true else '.repeat(n)}true`),
  clauses: (n) => `@id("a") permit (principal, action, resource) ${'unless { context.staged_change } '.repeat(n)};`,
  accesses: (n) => when(`context${'.effect'.repeat(n)}.created == 1`),
};

describe.each(Object.entries(DEEP))('a rule deep by %s', (_, make) => {
  test.each([500, 2000, 8000])('%d times is refused, and the next set is decided as usual', (n) => {
    expect(problemsOf(make(n))).not.toEqual([]);
    expect(decidePolicy(setOf('@id("a") permit (principal, action, resource);'), PLAIN_ASK).mode).toBe('autopilot');
  });
});

test('a rule at all limits at once is read, checked and decided', () => {
  const inner = `(${chain(30, '+')}) > 1`;
  const condition = `${'(('.repeat(6)}${chain(90, '&&', 'context["staged_change"]')} && ${inner}${'))'.repeat(6)} || context has time`;
  expect(decidePolicy(setOf(when(condition)), PLAIN_ASK)).toMatchObject({ mode: 'no_go', errors: [] });
  expect(problemsOf(when(`${'('.repeat(15)}true${')'.repeat(15)}`))).toEqual([]);
});

test('each limit is reported with its position, once per rule', () => {
  expect(
    problemsOf(`${when('true')}\n${when(`${'('.repeat(40)}true${')'.repeat(40)}`)}\n${when(chain(200, '||', 'true'))}`),
  ).toEqual([
    [`the rule nests brackets more than ${RULE_LIMITS.nesting} deep`, 2],
    [`the rule has more than ${RULE_LIMITS.operators} operators`, 3],
  ]);
  expect(problemsOf(when(`context${'.a'.repeat(200)}`))).toEqual([
    [`the rule has more than ${RULE_LIMITS.accesses} accesses by a dot`, 1],
  ]);
});

test("strings, comments and other rules aren't counted", () => {
  expect(problemsOf(`// ${'('.repeat(99)}\n${when(`context.task_class == "\\"${'[&& '.repeat(99)}"`)}`)).toEqual([]);
  expect(
    problemsOf(
      Array.from(
        { length: 50 },
        (_, n) => `@id("r${n}") permit (principal, action, resource) when { ${chain(20, '||', 'true')} };`,
      ).join('\n'),
    ),
  ).toEqual([]);
});

test('a string without an end is reported, and hides nothing', () => {
  expect(problemsOf(when(`"${'('.repeat(500)}`))).toEqual([['the string has no end', 1]]);
  expect(problemsOf(`${when('true')}\n${'"\\"'.repeat(50_000)}"`)).not.toEqual([]);
  expect(problemsOf(when(`'"' ${'('.repeat(500)} '"'`))).not.toEqual([]);
});

test("unmatched closing brackets don't raise the limit", () => {
  expect(problemsOf(when(`${')'.repeat(500)} ${'('.repeat(400)}`))).toEqual([
    [`the rule nests brackets more than ${RULE_LIMITS.nesting} deep`, 1],
  ]);
});

test('the longest allowed text is parsed to its end, whatever its contents', () => {
  const pieces = [
    '"\\"',
    '\\"',
    '(',
    '"',
    '// (\n(',
    'if',
    ';',
    '"a".',
    '.',
    '\\',
    'permit (principal, action, resource);',
  ];
  for (const piece of pieces) expect(problemsOf(piece.repeat(Math.floor(262_144 / piece.length)))).not.toEqual([]);
});
