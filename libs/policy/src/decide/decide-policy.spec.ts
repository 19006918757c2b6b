// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, Change, EffectRule, FsResource } from '@writ/contract';
import type { EffectFinding, EffectMode } from '@writ/effect';
import type { PolicySetSource } from '../document/policy-document.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { compilePolicySet } from '../policy-set.ts';
import type { Piece } from '../rules/slices.ts';
import { SLOTS, slotOf } from '../rules/slots.ts';
import { DEFAULT_POLICY } from '../sets/default-policy.ts';
import { readAnswers } from './cedar.ts';
import { decideEffectPolicy, decidePolicy, decidePolicySteps } from './decide-policy.ts';

const standard = compilePolicySet(DEFAULT_POLICY);
const PERMIT_ALL = '@id("all") permit (principal, action, resource);';
const setOf = (rules: readonly string[], more: Partial<PolicySetSource> = {}) =>
  compilePolicySet({ v: 1, name: 'test', cedar: rules.join('\n'), ...more });
const set = (...rules: string[]) => setOf(rules);

/** Other rules, which take a slot. */
const fillerOf = (n: number): Piece => ({
  key: `filler-${n}`,
  size: 1,
  policies: { [`filler-${n}`]: 'permit (principal, action, resource);' },
});

describe('a policy decides', () => {
  test('without any rule everything is refused, and the reason names the missing permit', () => {
    expect(decidePolicy(set(), PLAIN_ASK)).toEqual({
      mode: 'no_go',
      decided: 'no_go',
      enforcement: 'enforce',
      rule_ids: ['default.deny'],
      errors: [],
      fault: null,
      approvers: null,
      redactions: [],
      reasons: [
        {
          code: 'default.deny',
          message: 'no rule permits `fs.write` of category write in a session that is interactive',
        },
      ],
      would_pass: ['a rule that permits `fs.write` of category write in a session that is interactive'],
    });
  });

  test('a forbid wins over any permit', () => {
    const decision = decidePolicy(
      set(PERMIT_ALL, '@id("stop") @reason("not today") forbid (principal, action, resource);'),
      PLAIN_ASK,
    );
    expect(decision).toMatchObject({
      mode: 'no_go',
      rule_ids: ['stop'],
      reasons: [{ code: 'stop', message: 'not today' }],
      errors: [],
      fault: null,
    });
  });

  test('a rule that forbids less supervision is named beside the one that permits more', () => {
    const rule =
      '@id("watched") @reason("needs eyes") @would_pass("a call without eyes") forbid (principal, action, resource) when { context.supervision == "autopilot" };';
    expect(decidePolicy(set(PERMIT_ALL, rule), PLAIN_ASK)).toMatchObject({
      mode: 'soft_gate',
      rule_ids: ['watched', 'all'],
      would_pass: ['a person approves it', 'a call without eyes'],
    });
  });

  test.each(['permit', 'forbid'])('a %s that fails to evaluate refuses, whatever another rule permits', (effect) => {
    const overflow = `@id("broken") ${effect} (principal, action, resource) when { context.risk_milli * 9223372036854775807 > 0 };`;
    const decision = decidePolicy(set(PERMIT_ALL, overflow), PLAIN_ASK);
    expect(decision.mode).toBe('no_go');
    expect(decision.errors).toEqual([expect.stringContaining('`broken`')]);
    expect(decision.reasons).toEqual([{ code: 'policy.error', message: decision.errors[0] }]);
  });

  test('a rule that fails at less supervision refuses, though more would be allowed', () => {
    const early =
      '@id("early") forbid (principal, action, resource) when { context.supervision == "autopilot" && context.risk_milli * 9223372036854775807 > 0 };';
    expect(decidePolicy(set(PERMIT_ALL, early), PLAIN_ASK)).toMatchObject({
      mode: 'no_go',
      errors: [expect.stringContaining('`early`')],
    });
  });

  test('numbers of a rule keep all their digits', () => {
    const exact =
      '@id("exact") permit (principal, action, resource) when { context.risk_milli + 9007199254740993 == 9007199254741043 };';
    expect(decidePolicy(set(exact), PLAIN_ASK).mode).toBe('autopilot');
  });

  test('a failure of Cedar refuses', () => {
    expect(decidePolicy(set(PERMIT_ALL), { ...PLAIN_ASK, workspace_id: undefined as unknown as string })).toMatchObject(
      { mode: 'no_go', rule_ids: [], errors: [expect.any(String)] },
    );
    expect(
      readAnswers([
        {
          type: 'failure',
          errors: [{ message: 'no', help: null, code: null, url: null, severity: null }],
          warnings: [],
        },
      ]),
    ).toEqual({ allowed: false, rules: [], errors: ['no'] });
  });

  test.each([0.5, Number.NaN, -1, 1001])('a risk of %d thousandths refuses', (risk_milli) => {
    expect(decidePolicy(set(PERMIT_ALL), { ...PLAIN_ASK, risk_milli })).toMatchObject({
      mode: 'no_go',
      errors: [expect.stringContaining('thousandths')],
    });
  });

  test('Cedar receives the agent, tool and category of the call', () => {
    const rules = set(
      '@id("one") permit (principal == Agent::"agt_a", action == Action::"fs.write", resource in Workspace::"wsp_a");',
    );
    expect(decidePolicy(rules, PLAIN_ASK).mode).toBe('autopilot');
    expect(decidePolicy(rules, { ...PLAIN_ASK, agent_id: 'agt_b' }).mode).toBe('no_go');
    expect(decidePolicy(rules, { ...PLAIN_ASK, tool_id: 'fs.edit' }).mode).toBe('no_go');
    expect(decidePolicy(rules, { ...PLAIN_ASK, workspace_id: 'wsp_b' }).mode).toBe('no_go');
  });

  test('a family of tools is a group of actions', () => {
    const rules = set(
      '@id("files") permit (principal, action in Action::"fs.*", resource) when { action in Action::"write" };',
    );
    expect(decidePolicy(rules, PLAIN_ASK).mode).toBe('autopilot');
    expect(decidePolicy(rules, { ...PLAIN_ASK, tool_id: 'shell.run' }).mode).toBe('no_go');
    expect(decidePolicy(rules, { ...PLAIN_ASK, tool_id: 'fs.read', category: 'read' }).mode).toBe('no_go');
  });

  test('a rule on paths is evaluated for each path, and the strictest answer counts', () => {
    const rules = set(
      PERMIT_ALL,
      '@id("env") forbid (principal, action, resource is File) when { resource.path like "*.env" && resource.access == "write" };',
    );
    const touching = (...paths: string[]) =>
      decidePolicy(rules, { ...PLAIN_ASK, resources: paths.map((path) => ({ kind: 'fs', access: 'write', path })) });
    expect(touching('a', 'b')).toMatchObject({ mode: 'autopilot', rule_ids: ['all'] });
    expect(touching('a', 'prod.env')).toMatchObject({ mode: 'no_go', rule_ids: ['env'] });
    expect(touching()).toMatchObject({ mode: 'autopilot' });
  });

  test('each of more than a thousand paths is evaluated, including the last', () => {
    const docs = set(
      PERMIT_ALL,
      '@id("docs") forbid (principal, action, resource is File) when { resource.path like "docs/*" };',
    );
    const files = Array.from({ length: 1_500 }, (_, n): FsResource => ({
      kind: 'fs',
      access: 'write',
      path: `src/${n}.ts`,
    }));
    expect(decidePolicy(docs, { ...PLAIN_ASK, resources: files })).toMatchObject({ mode: 'autopilot', errors: [] });
    expect(
      decidePolicy(docs, { ...PLAIN_ASK, resources: [...files, { kind: 'fs', access: 'write', path: 'docs/a.md' }] }),
    ).toMatchObject({ mode: 'no_go', rule_ids: ['docs'] });
  });

  test('in steps it decides the same, one path a step, whatever else is evaluated in between', () => {
    const docs = set(
      PERMIT_ALL,
      '@id("docs") forbid (principal, action, resource is File) when { resource.path like "docs/*" };',
    );
    const resources = ['src/a.ts', 'src/b.ts', 'src/c.ts'].map((path): FsResource => ({
      kind: 'fs',
      access: 'write',
      path,
    }));
    const ask = { ...PLAIN_ASK, resources };
    const steps = decidePolicySteps(docs, ask);
    let count = 0;
    for (;;) {
      const step = steps.next();
      if (step.done === true) {
        expect(step.value).toEqual(decidePolicy(docs, ask));
        break;
      }
      count += 1;
      // Other rules take every slot.
      for (let n = 0; n < SLOTS; n++) slotOf(fillerOf(n));
    }
    expect(count).toBe(3);
  });

  test('a rule reads the hour only if the hour is given', () => {
    const rules = set(
      '@id("day") permit (principal, action, resource) when { context has time && context.time.hour >= 9 && context.time.weekday <= 5 };',
    );
    expect(decidePolicy(rules, { ...PLAIN_ASK, time: { hour: 10, weekday: 1 } }).mode).toBe('autopilot');
    expect(decidePolicy(rules, { ...PLAIN_ASK, time: { hour: 10, weekday: 6 } }).mode).toBe('no_go');
    expect(decidePolicy(rules, PLAIN_ASK)).toMatchObject({ mode: 'no_go', errors: [] });
  });
});

describe('the corridor', () => {
  const general = { soft_gate: 0.3, escalated: 0.5, no_go: 0.9 };
  const rules = setOf([PERMIT_ALL], {
    thresholds: {
      general,
      task_classes: { deploy: { soft_gate: 0.1 }, sandbox: { soft_gate: null, escalated: null } },
    },
  });
  const at = (risk_milli: number, task_class = 'general') =>
    decidePolicy(rules, { ...PLAIN_ASK, risk_milli, task_class });

  test('a threshold requires supervision from its risk on, whatever the rules permit', () => {
    expect([299, 300, 499, 500, 899, 900].map((risk) => at(risk).mode)).toEqual([
      'autopilot',
      'soft_gate',
      'soft_gate',
      'escalated',
      'escalated',
      'no_go',
    ]);
  });

  test('a task class has its own thresholds, and inherits missing ones from the general ones', () => {
    expect([99, 100, 500].map((risk) => at(risk, 'deploy').mode)).toEqual(['autopilot', 'soft_gate', 'escalated']);
    expect([899, 900].map((risk) => at(risk, 'sandbox').mode)).toEqual(['autopilot', 'no_go']);
    expect(at(350, 'constructor').mode).toBe('soft_gate');
  });

  test('it has reasons in words, and what would have passed', () => {
    expect(at(550)).toMatchObject({
      rule_ids: ['risk.escalated', 'all'],
      reasons: [
        {
          code: 'risk.escalated',
          message: 'the risk is 0.55, and from 0.5 on administrators must agree in task class `general`',
        },
        { code: 'all' },
      ],
      would_pass: ['an administrator approves it', 'a risk below 0.3'],
      approvers: { count: 1, role: 'admin' },
    });
    expect(at(950).would_pass).toEqual(['a risk below 0.3']);
  });

  test('no rule and no threshold lowers the requirement of the risk table', () => {
    expect(decidePolicy(rules, { ...PLAIN_ASK, risk_ceiling: 'no_go' })).toMatchObject({
      mode: 'no_go',
      rule_ids: ['risk.no_go'],
    });
    expect(decidePolicy(rules, { ...PLAIN_ASK, risk_ceiling: 'soft_gate', task_class: 'sandbox' })).toMatchObject({
      mode: 'soft_gate',
      rule_ids: ['risk.soft_gate', 'all'],
    });
  });

  test('the quorum is the maximum of the set’s and those of the rules that decided', () => {
    const quorum = (annotation: string, more: Partial<PolicySetSource> = {}) =>
      decidePolicy(
        setOf(
          [
            PERMIT_ALL,
            `@id("watched") ${annotation} forbid (principal, action, resource) when { context.supervision == "autopilot" };`,
          ],
          more,
        ),
        PLAIN_ASK,
      );
    expect(quorum('').approvers).toEqual({ count: 1, role: 'operator' });
    expect(quorum('@quorum("3")')).toMatchObject({
      approvers: { count: 3, role: 'operator' },
      would_pass: ['3 people approve it', "a call that `watched` doesn't forbid"],
    });
    expect(quorum('@quorum("2")', { quorum: { soft_gate: 4 } }).approvers).toEqual({ count: 4, role: 'operator' });
  });

  test("the session's limit only lowers, and is named", () => {
    expect(decidePolicy(standard, { ...PLAIN_ASK, max_autonomy: 'escalated' })).toMatchObject({
      mode: 'escalated',
      would_pass: ['an administrator approves it', 'a session that accepts less than escalated'],
    });
    expect(decidePolicy(standard, { ...PLAIN_ASK, max_autonomy: 'no_go' })).toMatchObject({
      mode: 'no_go',
      rule_ids: ['session.max_autonomy'],
    });
  });
});

describe('a set that observes', () => {
  const observing = setOf([DEFAULT_POLICY.cedar], { enforcement: 'observe' });
  const decide = (more: Partial<typeof PLAIN_ASK>) => decidePolicy(observing, { ...PLAIN_ASK, ...more });

  test('lets calls run that it would hold or refuse, and names its decision', () => {
    expect(decide({ risk_ceiling: 'soft_gate', risk_milli: 650 })).toMatchObject({
      mode: 'autopilot',
      decided: 'soft_gate',
      enforcement: 'observe',
      approvers: null,
      rule_ids: ['policy.observed', 'risk.soft_gate', 'write.interactive'],
      reasons: expect.arrayContaining([
        { code: 'policy.observed', message: 'the policy is observed only; it decides soft_gate' },
      ]) as unknown,
    });
    expect(decide({ session_mode: 'scheduled' })).toMatchObject({ mode: 'autopilot', decided: 'no_go' });
  });

  test('is marked even if it changes nothing', () => {
    expect(decide({}).rule_ids[0]).toBe('policy.observed');
  });

  test("still holds admin tools, keeps to the session's limit, and refuses what the risk table rules out", () => {
    expect(decide({ category: 'admin' })).toMatchObject({ mode: 'soft_gate', decided: 'soft_gate' });
    expect(decide({ category: 'admin', session_mode: 'scheduled' }).mode).toBe('no_go');
    expect(decide({ max_autonomy: 'escalated' }).mode).toBe('escalated');
    expect(decide({ risk_ceiling: 'no_go', risk_milli: 1000 }).mode).toBe('no_go');
  });

  test('refuses when a rule fails', () => {
    const broken = setOf(
      [
        PERMIT_ALL,
        '@id("b") forbid (principal, action, resource) when { context.risk_milli * 9223372036854775807 > 0 };',
      ],
      { enforcement: 'observe' },
    );
    expect(decidePolicy(broken, PLAIN_ASK)).toMatchObject({ mode: 'no_go', errors: [expect.any(String)] });
  });
});

describe('the effect is evaluated at commit', () => {
  const file = { kind: 'file', mode: '644', sha256: 'a'.repeat(64), size: 1 } as const;
  const changed = (path: string): Pick<Change, 'path' | 'before' | 'after'> => ({ path, before: null, after: file });
  const effect = (path: string, granted: AutonomyMode = 'autopilot', more = {}) =>
    decideEffectPolicy(standard, { ...PLAIN_ASK, findings: [], ...more, changes: [changed(path)], granted });
  const finding = (rule: EffectRule, mode: EffectMode): EffectFinding => ({
    rule,
    mode,
    size: 3,
    message: 'deletes 3 of 4 files',
  });

  test('an ordinary effect needs what the call needed', () => {
    expect(effect('src/a.ts').mode).toBe('autopilot');
    expect(effect('src/a.ts', 'soft_gate').mode).toBe('soft_gate');
    expect(effect('src/a.ts', 'autopilot', { risk_ceiling: 'soft_gate', risk_milli: 600 }).mode).toBe('soft_gate');
  });

  test('a finding requires its mode in every set; an observed one requires nothing', () => {
    const found = { findings: [finding('effect.lost_many', 'soft_gate')] };
    expect(effect('a', 'autopilot', found)).toMatchObject({
      mode: 'soft_gate',
      rule_ids: ['effect.lost_many', 'write.interactive'],
      reasons: [{ message: 'the call deletes 3 of 4 files' }, expect.anything()],
    });
    expect(effect('a', 'autopilot', { ...found, session_mode: 'gateway' }).mode).toBe('no_go');
    expect(effect('a', 'autopilot', { findings: [finding('effect.lost_many', 'escalated')] }).mode).toBe('escalated');
    expect(effect('a', 'autopilot', { findings: [finding('effect.lost_many', 'observe')] }).mode).toBe('autopilot');
    expect(
      decideEffectPolicy(set(PERMIT_ALL), { ...PLAIN_ASK, ...found, changes: [], granted: 'autopilot' }).mode,
    ).toBe('soft_gate');
  });

  test('a set that observes refuses an emptied workspace too, and only reports its other findings', () => {
    const observing = setOf([PERMIT_ALL], { enforcement: 'observe' });
    const asked = (found: EffectFinding) =>
      decideEffectPolicy(observing, { ...PLAIN_ASK, findings: [found], changes: [], granted: 'autopilot' });
    expect(asked(finding('effect.emptied_workspace', 'no_go')).mode).toBe('no_go');
    expect(asked(finding('effect.lost_many', 'no_go'))).toMatchObject({
      mode: 'autopilot',
      decided: 'no_go',
      rule_ids: expect.arrayContaining(['effect.lost_many']) as unknown,
    });
  });

  test('the limit of the session applies here too', () => {
    expect(effect('src/a.ts', 'autopilot', { max_autonomy: 'escalated' }).mode).toBe('escalated');
  });

  test("history isn't evaluated again, since it includes the call by now", () => {
    const rules = setOf([PERMIT_ALL], {
      history: [{ id: 'none', kind: 'at_most', tools: ['*'], n: 0, then: 'refuse', reason: 'no' }],
    });
    expect(decideEffectPolicy(rules, { ...PLAIN_ASK, changes: [], findings: [], granted: 'autopilot' }).mode).toBe(
      'autopilot',
    );
    expect(decidePolicy(rules, { ...PLAIN_ASK, history: { none: 0 } }).mode).toBe('no_go');
  });

  test('a rule on paths sees the paths of the effect, not those of the arguments', () => {
    const rules = set(
      PERMIT_ALL,
      '@id("docs") forbid (principal, action, resource is File) when { resource.path like "docs/*" };',
    );
    expect(
      decideEffectPolicy(rules, { ...PLAIN_ASK, changes: [changed('docs/a.md')], findings: [], granted: 'autopilot' }),
    ).toMatchObject({ mode: 'no_go', rule_ids: ['docs'] });
    expect(decideEffectPolicy(rules, { ...PLAIN_ASK, changes: [], findings: [], granted: 'autopilot' }).mode).toBe(
      'autopilot',
    );
  });
});
