// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { SHELL_RUN, TOOLS, type AutonomyMode } from '@writ/contract';
import { parse } from 'yaml';
import type { Approvers, PolicyRequest } from './policy-request.ts';
import { decideEffectPolicy, decidePolicy } from './decide/decide-policy.ts';
import type { PolicySetSource } from './document/policy-document.ts';
import { PLAIN_ASK } from './plain-request.contract.ts';
import { compilePolicySet, type PolicySet } from './policy-set.ts';
import { DEFAULT_POLICY } from './sets/default-policy.ts';
import { OBSERVE_POLICY } from './sets/observe-policy.ts';
import { STRICT_POLICY } from './sets/strict-policy.ts';

type Ask = Partial<PolicyRequest> & {
  readonly changed?: readonly string[];
  readonly deleted?: readonly string[];
  readonly granted?: AutonomyMode;
};
interface Group {
  readonly title: string;
  readonly mode: AutonomyMode;
  readonly rules: readonly string[];
  readonly errors?: readonly string[];
  readonly approvers?: Approvers | null;
  readonly would_pass?: readonly string[];
  readonly asks: readonly Ask[];
}
interface File {
  readonly policy: string | PolicySetSource;
  readonly groups: readonly Group[];
}

const SHIPPED: Readonly<Record<string, PolicySetSource>> = {
  default: DEFAULT_POLICY,
  strict: STRICT_POLICY,
  observe: OBSERVE_POLICY,
};
const folder = new URL('../cases/', import.meta.url);
const files = readdirSync(folder).map((name) => ({
  name,
  ...(parse(readFileSync(new URL(name, folder), 'utf8')) as File),
}));
const sourceOf = (policy: File['policy']): PolicySetSource =>
  typeof policy === 'string' ? (SHIPPED[policy] as PolicySetSource) : policy;

const STATE = { kind: 'file', mode: '644', sha256: 'a'.repeat(64), size: 1 } as const;
function decide(set: PolicySet, { changed, deleted, granted, ...changes }: Ask) {
  const ask = { ...PLAIN_ASK, ...changes };
  if (changed === undefined && deleted === undefined) return decidePolicy(set, ask);
  const effect = [
    ...(changed ?? []).map((path) => ({ path, before: null, after: STATE })),
    ...(deleted ?? []).map((path) => ({ path, before: STATE, after: null })),
  ];
  return decideEffectPolicy(set, { ...ask, changes: effect, findings: [], granted: granted ?? 'autopilot' });
}

describe.each(files.map((file) => [file.name, file] as const))('%s', (_, { policy, groups }) => {
  const set = compilePolicySet(sourceOf(policy));

  describe.each(groups.map((group) => [group.title, group] as const))('%s', (__, group) => {
    test.each(group.asks.map((ask) => [ask]))('%j', (ask) => {
      const { mode, rule_ids, errors, approvers, would_pass } = decide(set, ask);
      expect({ mode, rules: [...rule_ids].sort(), errors }).toEqual({
        mode: group.mode,
        rules: [...group.rules].sort(),
        errors: group.errors ?? [],
      });
      if (group.approvers !== undefined) expect(approvers).toEqual(group.approvers);
      if (group.would_pass !== undefined) expect(would_pass).toEqual(group.would_pass);
    });
  });

  // Its rules are those of `default`, whose cases cover them.
  if (policy === 'observe') return;
  test('every rule of the set decides some case', () => {
    const decisive = new Set(groups.flatMap(({ rules }) => rules));
    expect(
      [...set.rules.keys(), ...set.document.history.map(({ id }) => id)].filter((id) => !decisive.has(id)),
    ).toEqual([]);
  });
});

describe.each(Object.values(SHIPPED))('the set `$name`', (source) => {
  const set = compilePolicySet(source);

  test('has a file of cases', () => {
    expect(files.map(({ policy }) => policy)).toContain(source.name);
  });

  test('has a reason for every rule, and `would_pass` for every forbid', () => {
    for (const { id, reason, effect, would_pass } of set.rules.values()) {
      expect(reason).not.toContain(`\`${id}\``);
      expect([effect, would_pass === null]).toEqual([effect, effect === 'permit']);
    }
  });

  test('has no rule that can never apply', () => {
    // Admin tools may be added later, so a rule on them counts as applicable.
    const tools = [...TOOLS.values(), { ...SHELL_RUN, tool_id: 'host.admin', category: 'admin' as const }];
    expect(compilePolicySet(source, tools).warnings).toEqual([]);
  });
});
