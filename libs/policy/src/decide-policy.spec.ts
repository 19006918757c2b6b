// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, Change } from '@writ/contract';
import { decideEffectPolicy, decidePolicy, read } from './decide-policy.ts';
import { DEFAULT_POLICY } from './default-policy.ts';
import { PLAIN_ASK } from './plain-ask.contract.ts';
import { compilePolicySet } from './policy-set.ts';

const standard = compilePolicySet(DEFAULT_POLICY);
const PERMIT_ALL = '@id("all") permit (principal, action, resource);';
const set = (...rules: string[]) => compilePolicySet(rules.join('\n'));

describe('a policy decides', () => {
  test('without any rule everything is refused, and the reason says what nothing permits', () => {
    expect(decidePolicy(set(), PLAIN_ASK)).toEqual({
      mode: 'no_go', rule_ids: ['default.deny'], errors: [],
      reasons: [{ code: 'default.deny', message: 'no rule permits `fs.write` of category write in a session that is interactive' }],
    });
  });

  test('a forbid wins over any permit', () => {
    const decision = decidePolicy(set(PERMIT_ALL, '@id("stop") @reason("not today") forbid (principal, action, resource);'), PLAIN_ASK);
    expect(decision).toEqual({ mode: 'no_go', rule_ids: ['stop'], reasons: [{ code: 'stop', message: 'not today' }], errors: [] });
  });

  test('a rule that forbids less supervision is named beside the one that permits more', () => {
    const rule = '@id("watched") @reason("needs eyes") forbid (principal, action, resource) when { context.supervision == "autopilot" };';
    expect(decidePolicy(set(PERMIT_ALL, rule), PLAIN_ASK)).toMatchObject({ mode: 'soft_gate', rule_ids: ['watched', 'all'] });
  });

  test.each(['permit', 'forbid'])('a %s that fails to evaluate refuses, whatever another rule permits', (effect) => {
    const overflow = `@id("broken") ${effect} (principal, action, resource) when { context.risk_milli * 9223372036854775807 > 0 };`;
    const decision = decidePolicy(set(PERMIT_ALL, overflow), PLAIN_ASK);
    expect(decision.mode).toBe('no_go');
    expect(decision.errors).toEqual([expect.stringContaining('`broken`')]);
    expect(decision.reasons).toEqual([{ code: 'policy.error', message: decision.errors[0] }]);
  });

  test('an answer that is a failure refuses', () => {
    expect(decidePolicy(set(PERMIT_ALL), { ...PLAIN_ASK, risk_milli: 0.5 })).toMatchObject({ mode: 'no_go', rule_ids: [], errors: [expect.any(String)] });
    expect(read({ type: 'failure', errors: [{ message: 'no', help: null, code: null, url: null, severity: null }], warnings: [] })).toEqual({ allowed: false, rules: [], errors: ['no'] });
  });

  test('the same agent, tool and category are asked about as the call names them', () => {
    const rules = set('@id("one") permit (principal == Agent::"agt_a", action == Action::"fs.write", resource in Workspace::"wsp_a");');
    expect(decidePolicy(rules, PLAIN_ASK).mode).toBe('autopilot');
    expect(decidePolicy(rules, { ...PLAIN_ASK, agent_id: 'agt_b' }).mode).toBe('no_go');
    expect(decidePolicy(rules, { ...PLAIN_ASK, tool_id: 'fs.edit' }).mode).toBe('no_go');
    expect(decidePolicy(rules, { ...PLAIN_ASK, workspace_id: 'wsp_b' }).mode).toBe('no_go');
  });

  test('a rule on paths is asked about each path, and the strictest answer counts', () => {
    const rules = set(PERMIT_ALL, '@id("env") forbid (principal, action, resource is File) when { resource.path like "*.env" && resource.access == "write" };');
    const touching = (...paths: string[]) => decidePolicy(rules, { ...PLAIN_ASK, resources: paths.map((path) => ({ kind: 'fs', access: 'write', path })) });
    expect(touching('a', 'b')).toMatchObject({ mode: 'autopilot', rule_ids: ['all'] });
    expect(touching('a', 'prod.env')).toMatchObject({ mode: 'no_go', rule_ids: ['env'] });
    expect(touching()).toMatchObject({ mode: 'autopilot' });
    expect(touching(...Array.from({ length: 1001 }, (_, n) => `f${n}`))).toMatchObject({ mode: 'no_go', errors: [expect.stringContaining('1001')] });
  });
});

describe('the effect is asked about at commit', () => {
  const file = { kind: 'file', mode: '644', sha256: 'a'.repeat(64), size: 1 } as const;
  const changed = (path: string): Pick<Change, 'path' | 'before' | 'after'> => ({ path, before: null, after: file });
  const effect = (path: string, granted: AutonomyMode = 'autopilot', more = {}) =>
    decideEffectPolicy(standard, { ...PLAIN_ASK, ...more, changes: [changed(path)], granted });

  test('an ordinary effect needs what the call needed', () => {
    expect(effect('src/a.ts').mode).toBe('autopilot');
    expect(effect('src/a.ts', 'soft_gate').mode).toBe('soft_gate');
    expect(effect('src/a.ts', 'autopilot', { risk_ceiling: 'soft_gate', risk_milli: 600 }).mode).toBe('soft_gate');
  });

  test('files that run later by themselves must be seen', () => {
    expect(effect('.git/hooks/pre-commit')).toMatchObject({ mode: 'soft_gate', rule_ids: ['effect.runs_later', 'write.interactive'] });
    expect(effect('.git/hooks/pre-commit', 'soft_gate').mode).toBe('soft_gate');
    expect(effect('.git/hooks/pre-commit', 'autopilot', { session_mode: 'gateway' }).mode).toBe('no_go');
  });

  test('the limit of the session holds here too', () => {
    expect(effect('src/a.ts', 'autopilot', { max_autonomy: 'escalated' }).mode).toBe('escalated');
  });

  test('a rule on paths sees the paths of the effect, not those of the arguments', () => {
    const rules = set(PERMIT_ALL, '@id("docs") forbid (principal, action, resource is File) when { resource.path like "docs/*" };');
    expect(decideEffectPolicy(rules, { ...PLAIN_ASK, changes: [changed('docs/a.md')], granted: 'autopilot' })).toMatchObject({ mode: 'no_go', rule_ids: ['docs'] });
    expect(decideEffectPolicy(rules, { ...PLAIN_ASK, changes: [], granted: 'autopilot' }).mode).toBe('autopilot');
  });
});
