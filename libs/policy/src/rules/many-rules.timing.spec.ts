// SPDX-License-Identifier: Apache-2.0
// The cost of evaluating a set with the maximum of rules, step by step: the event loop can run between two steps.
import { TOOLS } from '@writ/contract';
import type { PolicyDecision } from '../policy-request.ts';
import { decidePolicySteps } from '../decide/decide-policy.ts';
import { POLICY_LIMITS } from '../document/policy-document.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { checkPolicySet, compilePolicySet, policySetOf } from '../policy-set.ts';

const { rules: RULES, cedarChars } = POLICY_LIMITS;
/**
 * Limit on the processor time of a step on this thread, in milliseconds. Measured: 4, for parsing a piece in Cedar. All
 * rules at once took 107 to 184.
 */
const STEP_MS_MAX = 15;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

interface Asked {
  readonly longest: number;
  readonly steps: number;
  readonly decision: PolicyDecision;
}

function ask(sent: unknown): Asked {
  // As in the kernel: checked in a thread, and prepared here.
  const set = policySetOf(sent as ReturnType<typeof checkPolicySet>);
  const taken: number[] = [];
  const steps = decidePolicySteps(set, PLAIN_ASK);
  for (;;) {
    const before = cpuMs();
    const step = steps.next();
    taken.push(cpuMs() - before);
    if (step.done === true) return { longest: Math.max(...taken), steps: taken.length, decision: step.value };
  }
}

/** A set of that kind with new rules each time, none of which is parsed yet. */
const setOf = (rule: (seed: number, index: number) => string, seed: number, count: number) =>
  sourceOf(Array.from({ length: count }, (_, index) => `@id("rule-${index}") ${rule(seed, index)}`));
const sourceOf = (rules: readonly string[]) => ({ v: 1, name: 'many', cedar: rules.join('\n') });

const terms = (seed: number, count: number) =>
  Array.from({ length: count }, (_, n) => `context.risk_milli != ${seed + n}`).join(' && ');

describe('the first evaluation of a set with very many rules runs in short steps', () => {
  it.each([
    [
      'short rules',
      RULES,
      (seed: number, n: number) => `permit (principal, action, resource) when { context.risk_milli < ${seed + n} };`,
    ],
    [
      'rules that fill the text',
      RULES,
      (seed: number, n: number) => `permit (principal, action, resource) when { ${terms(seed + n, 6)} };`,
    ],
    [
      'rules as large as they may be',
      60,
      (seed: number, n: number) => `permit (principal, action, resource) when { ${terms(seed + n, 120)} };`,
    ],
    [
      'rules on paths',
      RULES,
      (seed: number, n: number) =>
        `forbid (principal, action, resource) when { resource has path && resource.path like "x${seed}/${n}/*" };`,
    ],
  ])('of %s', (_, count, rule) => {
    const least = [1, 2, 3].map((round) => {
      const source = setOf(rule, round * 10_000, count);
      expect(source.cedar.length).toBeLessThanOrEqual(cedarChars);
      return ask(structuredClone(checkPolicySet(source, TOOLS.values())));
    });
    expect(Math.min(...least.map(({ longest }) => longest))).toBeLessThan(STEP_MS_MAX);
    expect(least[0]?.steps).toBeGreaterThan(10);
  });
});

describe('rules in several pieces decide like all at once', () => {
  const permit = (n: number): string => `@id("p-${n}") permit (principal, action, resource);`;
  const idle = (n: number): string =>
    `@id("i-${n}") forbid (principal, action, resource) when { context.risk_milli > 1000 };`;
  const filler = (from: number): string[] => Array.from({ length: 60 }, (_, n) => idle(from + n));
  const decide = (...rules: string[]) => ask(checkPolicySet(sourceOf(rules), TOOLS.values())).decision;

  it('a permit of any piece allows, and all permits are named', () => {
    expect(decide(permit(0), ...filler(0), permit(1), ...filler(60), permit(2))).toMatchObject({
      mode: 'autopilot',
      rule_ids: ['p-0', 'p-1', 'p-2'],
    });
  });

  it('a forbid of any piece wins, and all forbids are named', () => {
    const forbid = (n: number): string => `@id("f-${n}") forbid (principal, action, resource);`;
    for (const rules of [
      [forbid(0), ...filler(0), permit(0), forbid(1)],
      [permit(0), ...filler(0), forbid(0), ...filler(60), forbid(1)],
    ]) {
      expect(decide(...rules)).toMatchObject({
        mode: 'no_go',
        rule_ids: expect.arrayContaining(['f-0', 'f-1']) as unknown,
      });
    }
  });

  it('a rule that fails in any piece refuses, whatever the others say', () => {
    const failing =
      '@id("bad") permit (principal, action, resource) when { context.risk_milli + 9223372036854775807 > 0 };';
    for (const rules of [
      [failing, ...filler(0), permit(0)],
      [permit(0), ...filler(0), failing],
    ]) {
      expect(decide(...rules)).toMatchObject({ mode: 'no_go', errors: [expect.stringContaining('bad') as string] });
    }
  });

  it('nothing is permitted if no piece permits', () => {
    expect(decide(...filler(0))).toMatchObject({ mode: 'no_go', rule_ids: ['default.deny'] });
    expect(compilePolicySet(sourceOf([])).rules.size).toBe(0);
  });
});
