// SPDX-License-Identifier: Apache-2.0
import type { EntityJson } from '@cedar-policy/cedar-wasm/nodejs';
import { oracle } from '../oracle-cedar.contract.ts';
import { AUTONOMY_MODES, type AutonomyMode, type Change, type FsResource } from '@writ/contract';
import fc from 'fast-check';
import { supervisionsFrom, type PolicyRequest, type PolicyResource, type Supervision } from '../policy-request.ts';
import type { PolicySetSource } from '../document/policy-document.ts';
import { effectFacts } from '../effect.ts';
import { compilePolicySet, type PolicySet } from '../policy-set.ts';
import { cedarOf, randomAsk, randomForbid, randomRule, randomRules, RANDOM_TOOLS } from '../random-set.contract.ts';
import { groupsOf } from '../rules/schema.ts';
import { decideEffectPolicy, decidePolicy } from './decide-policy.ts';

const NO_THRESHOLDS = { general: { soft_gate: null, escalated: null, no_go: null } };
const setOf = (rules: readonly string[], more: Partial<PolicySetSource> = {}): PolicySet =>
  compilePolicySet({ v: 1, name: 'random', cedar: cedarOf(rules), thresholds: NO_THRESHOLDS, ...more }, RANDOM_TOOLS);
const rank = (mode: AutonomyMode): number => AUTONOMY_MODES.indexOf(mode);
const atLeast: fc.Arbitrary<AutonomyMode> = fc.constantFrom('autopilot', 'soft_gate', 'escalated');

/** All entities, attributes and rules: Cedar's full input, without anything left out. */
function plainAnswer(
  cedar: string,
  ask: PolicyRequest,
  supervision: Supervision,
  target: FsResource | PolicyResource | null,
  changes: EffectChanges | null,
): 'allow' | 'deny' | 'error' {
  const uid = (type: string, id: string) => ({ type, id });
  const workspace = uid('Workspace', ask.workspace_id);
  const resource =
    target === null
      ? workspace
      : 'path' in target
        ? uid('File', `${target.access} ${target.path}`)
        : uid('Resource', `${target.kind}:${target.name}`);
  const effect = changes === null ? undefined : effectFacts(changes);
  const {
    risk_milli,
    risk_ceiling,
    task_class,
    tool_class,
    labels,
    session_mode,
    job_lists_tool,
    staged_change,
    time,
    egress,
  } = ask;
  const entities: EntityJson[] = RANDOM_TOOLS.map((tool) => ({
    uid: uid('Action', tool.tool_id),
    attrs: {},
    parents: groupsOf(tool).map((group) => uid('Action', group)),
  }));
  const answer = oracle.isAuthorized({
    principal: uid('Agent', ask.agent_id),
    action: uid('Action', ask.tool_id),
    resource,
    context: {
      risk_milli,
      risk_ceiling,
      risk_level: 'autopilot',
      task_class,
      tool_class,
      labels: [...labels],
      delegated_by: ask.delegated_by.map((id) => ({ __entity: uid('Agent', id) })),
      session_mode,
      job_lists_tool,
      staged_change,
      supervision,
      history_broken: [],
      ...(time === undefined ? {} : { time: { ...time } }),
      ...(egress === undefined
        ? {}
        : { egress: { domains: [...egress.domains], methods: [...egress.methods], purpose: egress.purpose } }),
      ...(effect === undefined ? {} : { effect: { ...effect, areas: [...effect.areas] } }),
    },
    policies: { staticPolicies: cedar },
    entities: [
      ...entities,
      { uid: workspace, attrs: {}, parents: [] },
      ...(target === null ? [] : [{ uid: resource, attrs: attributesOf(target), parents: [workspace] }]),
    ],
  });
  if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join());
  return answer.response.diagnostics.errors.length > 0 ? 'error' : answer.response.decision;
}

const attributesOf = (target: FsResource | PolicyResource): Record<string, string> =>
  'path' in target
    ? { path: target.path, access: target.access }
    : { kind: target.kind, name: target.name, owner: target.owner_agent_id ?? '' };

type EffectChanges = readonly Pick<Change, 'path' | 'before' | 'after'>[];

/**
 * The decision by the documentation: the least supervision at which every target is allowed; a failing rule in any
 * evaluation refuses.
 */
function plainMode(
  rules: readonly string[],
  ask: PolicyRequest,
  least: AutonomyMode,
  paths: readonly FsResource[],
  changes: EffectChanges | null,
): AutonomyMode {
  const looks = rules.some((rule) => /resource[ .]/.test(rule));
  // An effect consists of files alone.
  const all = [...paths, ...(changes === null ? (ask.registered ?? []) : [])];
  const targets = looks && all.length > 0 ? all : [null];
  for (const supervision of supervisionsFrom(least)) {
    let denied = false;
    for (const target of targets) {
      const answer = plainAnswer(cedarOf(rules), ask, supervision, target, changes);
      if (answer === 'error') return 'no_go';
      denied = answer === 'deny';
      if (denied) break;
    }
    if (!denied) return supervision;
  }
  return 'no_go';
}

const change = (path: string) => ({
  path,
  before: null,
  after: { kind: 'file', mode: '644', sha256: 'a'.repeat(64), size: 1 } as const,
});
const calm = randomAsk.map((ask) => ({ ...ask, risk_ceiling: 'none' as const }));

describe('slices and omitted inputs change no answer', () => {
  test('of a call', () => {
    fc.assert(
      fc.property(randomRules, fc.array(calm, { minLength: 1, maxLength: 6 }), (rules, asks) => {
        // One set decides many requests, and no cached state of one may affect the next.
        const set = setOf(rules);
        for (const ask of asks)
          expect(decidePolicy(set, ask).mode).toBe(
            plainMode(rules, ask, ask.max_autonomy ?? 'autopilot', ask.resources, null),
          );
      }),
      { numRuns: 150 },
    );
  });

  test('of an effect', () => {
    fc.assert(
      fc.property(
        randomRules,
        calm,
        fc.subarray(['src/a.ts', '.git/hooks/x', '.env']),
        atLeast,
        (rules, ask, paths, granted) => {
          const changes = paths.map(change);
          const least =
            rank(granted) > rank(ask.max_autonomy ?? 'autopilot') ? granted : (ask.max_autonomy ?? 'autopilot');
          const written = paths.map((path): FsResource => ({ kind: 'fs', access: 'write', path }));
          expect(decideEffectPolicy(setOf(rules), { ...ask, changes, findings: [], granted }).mode).toBe(
            plainMode(rules, ask, least, written, changes),
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('for any rules and any request', () => {
  test('nothing is permitted that no rule permits', () => {
    fc.assert(
      fc.property(fc.array(randomForbid, { maxLength: 6 }), randomAsk, (forbids, ask) => {
        expect(decidePolicy(setOf(forbids), ask).mode).toBe('no_go');
      }),
      { numRuns: 100 },
    );
  });

  test('a forbid that always holds wins', () => {
    fc.assert(
      fc.property(randomRules, randomAsk, (rules, ask) => {
        expect(decidePolicy(setOf([...rules, 'forbid (principal, action, resource);']), ask).mode).toBe('no_go');
      }),
      { numRuns: 100 },
    );
  });

  test('another forbid never lowers the supervision', () => {
    fc.assert(
      fc.property(randomRules, randomForbid, randomAsk, (rules, forbid, ask) => {
        const before = decidePolicy(setOf(rules), ask).mode;
        const after = decidePolicy(setOf([...rules, forbid]), ask).mode;
        expect(rank(after)).toBeGreaterThanOrEqual(rank(before));
      }),
      { numRuns: 100 },
    );
  });

  test('another permit never raises the supervision, unless it fails', () => {
    fc.assert(
      fc.property(randomRules, randomRule, randomAsk, (rules, rule, ask) => {
        fc.pre(rule.startsWith('permit'));
        const before = decidePolicy(setOf(rules), ask);
        const after = decidePolicy(setOf([...rules, rule]), ask);
        if (after.errors.length === 0) expect(rank(after.mode)).toBeLessThanOrEqual(rank(before.mode));
      }),
      { numRuns: 100 },
    );
  });

  test('the supervision is never less than session, risk table and thresholds require', () => {
    fc.assert(
      fc.property(randomRules, randomAsk, fc.integer({ min: 0, max: 1000 }), (rules, ask, milli) => {
        const set = setOf(rules, {
          thresholds: { general: { soft_gate: milli / 1000, escalated: null, no_go: null } },
        });
        const { mode } = decidePolicy(set, { ...ask, staged_change: false });
        expect(rank(mode)).toBeGreaterThanOrEqual(rank(ask.max_autonomy ?? 'autopilot'));
        if (ask.risk_ceiling !== 'none') expect(rank(mode)).toBeGreaterThanOrEqual(rank(ask.risk_ceiling));
        if (ask.risk_milli >= milli) expect(rank(mode)).toBeGreaterThanOrEqual(rank('soft_gate'));
      }),
      { numRuns: 100 },
    );
  });

  test('an observed set decides like the enforced one, and enforces no more', () => {
    fc.assert(
      fc.property(randomRules, randomAsk, (rules, ask) => {
        const enforced = decidePolicy(setOf(rules), ask);
        const observed = decidePolicy(setOf(rules, { enforcement: 'observe' }), ask);
        expect(observed.decided).toBe(enforced.mode);
        expect(rank(observed.mode)).toBeLessThanOrEqual(rank(enforced.mode));
        if (ask.category === 'admin') expect(observed.mode).toBe(enforced.mode);
      }),
      { numRuns: 100 },
    );
  });

  test('a held call names its approvers, and what would have passed', () => {
    fc.assert(
      fc.property(randomRules, randomAsk, (rules, ask) => {
        const { mode, approvers, would_pass, reasons, errors } = decidePolicy(setOf(rules), ask);
        expect(approvers !== null).toBe(mode === 'soft_gate' || mode === 'escalated');
        if (errors.length === 0) expect(would_pass.length > 0).toBe(mode !== 'autopilot');
        expect(reasons.length).toBeGreaterThan(0);
      }),
      { numRuns: 100 },
    );
  });
});
