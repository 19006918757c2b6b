// SPDX-License-Identifier: Apache-2.0
import type { PolicySetSource } from '../document/policy-document.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { compilePolicySet } from '../policy-set.ts';
import { DEFAULT_POLICY } from '../sets/default-policy.ts';
import { STRICT_POLICY } from '../sets/strict-policy.ts';
import { diffSets } from './diff-sets.ts';
import { explainDecision } from './explain-decision.ts';

const base: PolicySetSource = {
  v: 1,
  name: 'a',
  cedar:
    '@id("x") permit (principal, action, resource);\n@id("y") forbid (principal, action, resource) when { context.risk_milli > 9 };',
  history: [{ id: 'h', kind: 'at_most', tools: ['fs.write'], n: 3, then: 'refuse', reason: 'enough' }],
};
const compile = (more: Partial<PolicySetSource> = {}) => compilePolicySet({ ...base, ...more });

describe('two sets are compared', () => {
  test('a set has no differences from itself, whatever its comments and order', () => {
    const other = compile({
      cedar:
        '// why\n@id("y") forbid (principal, action, resource) when { context.risk_milli > 9 };\n\n@id("x") permit (principal, action, resource);',
    });
    expect(diffSets(compile(), other)).toEqual({ rules: [], history: [], settings: [] });
  });

  test('by rules that were removed, changed and added, with their texts', () => {
    const other = compile({
      cedar:
        '@id("y") forbid (principal, action, resource) when { context.risk_milli > 10 };\n@id("a") permit (principal, action, resource);',
    });
    expect(diffSets(compile(), other).rules).toEqual([
      { id: 'x', change: 'removed', before: '@id("x") permit (principal, action, resource);', after: null },
      { id: 'y', change: 'changed', before: expect.stringContaining('> 9'), after: expect.stringContaining('> 10') },
      { id: 'a', change: 'added', before: null, after: '@id("a") permit (principal, action, resource);' },
    ]);
  });

  test('by history rules', () => {
    expect(diffSets(compile(), compile({ history: [{ ...base.history?.[0], n: 4 } as never] })).history).toMatchObject([
      { id: 'h', change: 'changed', before: { n: 3 }, after: { n: 4 } },
    ]);
    expect(diffSets(compile(), compile({ history: [] })).history).toMatchObject([
      { id: 'h', change: 'removed', after: null },
    ]);
  });

  test('by every other value, with its position', () => {
    const other = compile({
      name: 'b',
      enforcement: 'observe',
      thresholds: { general: { soft_gate: null }, task_classes: { deploy: { no_go: 1 } } },
      quorum: { escalated: 2 },
    });
    expect(diffSets(compile(), other).settings).toEqual([
      { pointer: '/enforcement', before: 'enforce', after: 'observe' },
      { pointer: '/name', before: 'a', after: 'b' },
      { pointer: '/quorum/escalated', before: 1, after: 2 },
      { pointer: '/thresholds/general/soft_gate', before: 0.6, after: null },
      { pointer: '/thresholds/task_classes/deploy/escalated', before: null, after: 0.99 },
      { pointer: '/thresholds/task_classes/deploy/no_go', before: null, after: 1 },
      { pointer: '/thresholds/task_classes/deploy/soft_gate', before: null, after: null },
    ]);
  });
});

describe('a decision is explained', () => {
  const standard = compilePolicySet(DEFAULT_POLICY);

  test('with what required supervision, each evaluation and its rules', () => {
    const { policy, began_at, grounds, asked, rules, rules_met, rules_total, thresholds, decision } = explainDecision(
      standard,
      { ...PLAIN_ASK, risk_milli: 650, labels: ['secret_read'], tool_class: 'broker' },
    );
    expect(policy).toEqual({ name: 'default', policy_hash: standard.policy_hash, enforcement: 'enforce' });
    expect({ began_at, asked, mode: decision.mode }).toEqual({
      began_at: 'soft_gate',
      asked: [{ supervision: 'soft_gate', allowed: true, rule_ids: ['write.interactive'] }],
      mode: 'soft_gate',
    });
    expect(grounds).toMatchObject([{ rule_id: 'risk.soft_gate', would_pass: 'a risk below 0.6' }]);
    expect(rules).toEqual([
      {
        id: 'write.interactive',
        effect: 'permit',
        text: expect.stringContaining('context.session_mode == "interactive"'),
      },
    ]);
    expect(rules_met).toBeLessThan(rules_total);
    expect(thresholds).toEqual({ soft_gate: 0.6, escalated: 0.99, no_go: null });
  });

  test('with single changes that were decided again, and only those that help', () => {
    const withWhat = (more: Partial<typeof PLAIN_ASK>) =>
      explainDecision(standard, { ...PLAIN_ASK, ...more }).would_pass;
    expect(withWhat({})).toEqual([]);
    expect(withWhat({ session_mode: 'scheduled', task_class: 'deploy', labels: ['other'] })).toEqual([
      { with: 'an interactive session', mode: 'autopilot' },
      { with: 'a job whose list names `fs.write`', mode: 'autopilot' },
    ]);
    expect(withWhat({ session_mode: 'gateway', risk_ceiling: 'soft_gate', risk_milli: 700 })).toEqual([
      { with: 'an interactive session', mode: 'soft_gate' },
      { with: 'no risk at all', mode: 'autopilot' },
    ]);
    expect(withWhat({ tool_class: 'broker', labels: ['untrusted_content', 'secret_read'] })).toEqual([
      { with: 'no label `untrusted_content`', mode: 'soft_gate' },
      { with: 'no label `secret_read`', mode: 'autopilot' },
      { with: 'no label', mode: 'autopilot' },
    ]);
    expect(withWhat({ session_mode: 'scheduled', risk_milli: 0 })).toHaveLength(2);
    expect(withWhat({ max_autonomy: 'escalated' })).toEqual([
      { with: 'a session that sets no limit of its own', mode: 'autopilot' },
    ]);
  });

  test('with history rules that are kept, and task classes', () => {
    const strict = compilePolicySet({
      ...STRICT_POLICY,
      thresholds: {
        general: { soft_gate: null, escalated: null, no_go: null },
        task_classes: { deploy: { soft_gate: 0 } },
      },
    });
    expect(explainDecision(strict, { ...PLAIN_ASK, history: { 'strict.many_changes': 300 } }).would_pass).toEqual([
      { with: 'history rule `strict.many_changes` kept', mode: 'autopilot' },
    ]);
    expect(
      explainDecision(strict, { ...PLAIN_ASK, task_class: 'deploy', history: { 'strict.many_changes': 0 } }).would_pass,
    ).toEqual([{ with: 'task class `general`', mode: 'autopilot' }]);
  });

  test('with the one path of an effect that a person must see', () => {
    const changes = ['src/a.ts', '.github/workflows/ci.yml'].map((path) => ({
      path,
      before: null,
      after: { kind: 'file', mode: '644', sha256: 'a'.repeat(64), size: 1 } as const,
    }));
    const { decision, would_pass, asked } = explainDecision(standard, {
      ...PLAIN_ASK,
      labels: ['untrusted_content'],
      changes,
      findings: [],
      granted: 'autopilot',
    });
    expect(decision).toMatchObject({ mode: 'soft_gate', rule_ids: ['labels.untrusted_effect', 'write.interactive'] });
    expect(asked.map(({ supervision, rule_ids }) => [supervision, rule_ids])).toEqual([
      ['autopilot', ['labels.untrusted_effect']],
      ['soft_gate', ['write.interactive']],
    ]);
    expect(would_pass).toEqual([
      { with: 'no label `untrusted_content`', mode: 'autopilot' },
      { with: 'nothing done to `.github/workflows/ci.yml`', mode: 'autopilot' },
    ]);
  });

  test('with the one argument that a rule on paths forbids', () => {
    const rules = compilePolicySet({
      v: 1,
      name: 'paths',
      cedar:
        '@id("all") permit (principal, action, resource);\n@id("env") forbid (principal, action, resource is File) when { resource.path == ".env" };',
    });
    const resources = ['a', '.env'].map((path) => ({ kind: 'fs', access: 'write', path }) as const);
    expect(explainDecision(rules, { ...PLAIN_ASK, resources }).would_pass).toEqual([
      { with: '`.env` left alone', mode: 'autopilot' },
    ]);
  });

  test('with an earlier call that succeeded', () => {
    const after = compile({
      history: [
        {
          id: 'h',
          kind: 'only_after',
          tools: ['fs.write'],
          after: ['fs.read'],
          then: 'soft_gate',
          reason: 'read first',
        },
      ],
      cedar: '@id("x") permit (principal, action, resource);',
    });
    expect(explainDecision(after, { ...PLAIN_ASK, history: { h: 0 } }).would_pass).toEqual([
      { with: 'history rule `h` kept', mode: 'autopilot' },
    ]);
  });

  test('without single paths, if there are very many', () => {
    const rules = compilePolicySet({
      v: 1,
      name: 'paths',
      cedar:
        '@id("all") permit (principal, action, resource);\n@id("env") forbid (principal, action, resource is File) when { resource.path == "0" };',
    });
    const resources = Array.from({ length: 33 }, (_, n) => ({ kind: 'fs', access: 'write', path: String(n) }) as const);
    expect(explainDecision(rules, { ...PLAIN_ASK, resources }).would_pass).toEqual([]);
    expect(explainDecision(rules, { ...PLAIN_ASK, resources: resources.slice(0, 32) }).would_pass).toEqual([
      { with: '`0` left alone', mode: 'autopilot' },
    ]);
  });

  test('a failed decision has only the failure', () => {
    expect(explainDecision(compile(), PLAIN_ASK)).toMatchObject({
      decision: { errors: [expect.stringContaining('`h`')] },
      asked: [],
      would_pass: [],
    });
  });
});
