// SPDX-License-Identifier: Apache-2.0
import { decidePolicy } from './decide-policy.ts';
import { PLAIN_ASK } from './plain-ask.contract.ts';
import { compilePolicySet, located, PolicySetError, verifyAnswer } from './policy-set.ts';

const problemsOf = (text: string) => {
  try {
    compilePolicySet(text);
  } catch (error) {
    if (error instanceof PolicySetError) return error.problems;
    throw error;
  }
  return [];
};

describe('a policy text is read', () => {
  test('rules are known by their id, with effect and reason', () => {
    const { rules } = compilePolicySet('@id("a.b") @reason("because") permit (principal, action, resource);\n@id("c") forbid (principal, action, resource);');
    expect([...rules.values()]).toEqual([
      { id: 'a.b', effect: 'permit', reason: 'because' },
      { id: 'c', effect: 'forbid', reason: 'rule `c`' },
    ]);
  });

  test('the hash is of the text, whatever its line ends', () => {
    const text = '@id("a")\npermit (principal, action, resource);\n';
    const hash = compilePolicySet(text).policy_hash;
    expect(compilePolicySet(text.replaceAll('\n', '\r\n')).policy_hash).toBe(hash);
    expect(compilePolicySet(`${text} `).policy_hash).not.toBe(hash);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test('an error of syntax has line and column', () => {
    expect(problemsOf('@id("a")\npermit (principal, action, resource)\nwhen { foo( };')).toEqual([{ message: expect.any(String), line: 3, column: 13 }]);
  });

  test('an error against the schema has line and column, and they are all told', () => {
    const problems = problemsOf('@id("a")\npermit (principal, action, resource)\nwhen { context.riks_milli > 1 };\n@id("b") permit (principal, action == Action::"fs.raed", resource);');
    expect(problems).toHaveLength(2);
    expect(problems.map(({ line }) => line).sort()).toEqual([3, 4]);
    expect(problems.map(({ message }) => message).join()).toContain('riks_milli');
  });

  test('a rule without an id, with a strange one, or with another\'s is refused', () => {
    expect(problemsOf('\npermit (principal, action, resource);')).toMatchObject([{ line: 2, column: 1 }]);
    expect(problemsOf('@id("A b") permit (principal, action, resource);')).toHaveLength(1);
    expect(problemsOf('@id("a") permit (principal, action, resource);\n@id("a") forbid (principal, action, resource);')).toMatchObject([{ message: 'the id `a` is given to two rules', line: 2 }]);
  });

  test('a template is refused', () => {
    expect(problemsOf('@id("a") permit (principal == ?principal, action, resource);')).toMatchObject([{ message: expect.stringContaining('template') }]);
  });

  test('the message names every place', () => {
    expect(() => compilePolicySet('@id("a") permit (principal, action, resource) when { context.x == 1 };')).toThrow(/^1:\d+: /);
  });

  test('rules that look at the resource are noticed', () => {
    const looks = (rule: string) => compilePolicySet(`@id("a") permit (principal, action, ${rule};`).looksAtPaths;
    expect(looks('resource)')).toBe(false);
    expect(looks('resource is File)')).toBe(true);
    expect(looks('resource) when { resource is File && resource.path == "a" }')).toBe(true);
  });

  test('a problem without a place is one of its rule', () => {
    const error = { message: 'no', help: 'try', code: null, url: null, severity: null };
    expect(located('a\nbc', 3, error)).toEqual({ message: 'no: try', line: 2, column: 2 });
  });

  test('an answer that contradicts an earlier one is a bug', () => {
    expect(() => verifyAnswer({ type: 'failure' })).toThrow('cedar refused');
  });
});

test('more sets than there are slots are decided as each says', () => {
  const sets = Array.from({ length: 70 }, (_, n) => compilePolicySet(`@id("rule-${n}") permit (principal, action, resource);`));
  for (const round of [sets, sets.toReversed(), sets]) {
    for (const set of round) expect(decidePolicy(set, PLAIN_ASK).rule_ids).toEqual([...set.rules.keys()]);
  }
});
