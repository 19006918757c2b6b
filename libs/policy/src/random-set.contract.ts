// SPDX-License-Identifier: Apache-2.0
import { SHELL_RUN, TOOLS, type FsResource, type ToolDefinition } from '@writ/contract';
import fc from 'fast-check';
import type { PolicyRequest, PolicyResource } from './policy-request.ts';

/** The tools of random sets: the existing ones, and some of other categories, classes and families. */
export const RANDOM_TOOLS: readonly ToolDefinition[] = [
  ...TOOLS.values(),
  { ...SHELL_RUN, tool_id: 'host.admin', category: 'admin' },
  { ...SHELL_RUN, tool_id: 'web.look', category: 'read', class: 'broker' },
  { ...SHELL_RUN, tool_id: 'web.api.post', category: 'write', class: 'broker' },
  { ...SHELL_RUN, tool_id: 'search', category: 'read', class: 'broker' },
];

const quoted = (...words: string[]) => fc.constantFrom(...words).map((word) => JSON.stringify(word));
const actions = (...ids: string[]) => quoted(...ids).map((id) => `Action::${id}`);
const group = actions('read', 'write', 'admin', 'fs.*', 'web.*', 'web.api.*', 'host.*', 'shell.*');
const tool = actions(...RANDOM_TOOLS.map(({ tool_id }) => tool_id));
const scope = {
  principal: fc.constantFrom(
    'principal',
    'principal is Agent',
    'principal == Agent::"agt_a"',
    'principal == Agent::"agt_b"',
  ),
  action: fc.oneof(
    fc.constant('action'),
    tool.map((one) => `action == ${one}`),
    group.map((one) => `action in ${one}`),
    fc.array(fc.oneof(group, tool), { minLength: 1, maxLength: 3 }).map((some) => `action in [${some.join(', ')}]`),
  ),
  resource: fc.constantFrom(
    'resource',
    'resource',
    'resource',
    'resource is File',
    'resource is Workspace',
    'resource is Resource',
    'resource == Resource::"mailbox:a"',
    'resource == Workspace::"wsp_a"',
    'resource in Workspace::"wsp_a"',
    'resource is File in Workspace::"wsp_b"',
  ),
};

/** Conditions on everything that rules can read, some of which fail to evaluate. */
const atom = fc.oneof(
  quoted('autopilot', 'soft_gate', 'escalated').map((word) => `context.supervision == ${word}`),
  quoted('autopilot', 'soft_gate').map((word) => `context.risk_level == ${word}`),
  quoted('interactive', 'gateway', 'scheduled').map((word) => `context.session_mode == ${word}`),
  quoted('inline', 'broker').map((word) => `context.tool_class == ${word}`),
  quoted('x', 'y').map((word) => `context.labels.contains(${word})`),
  quoted('general', 'deploy').map((word) => `[${word}, "other"].contains(context.task_class)`),
  fc.integer({ min: 0, max: 1000 }).map((milli) => `context.risk_milli < ${milli}`),
  tool.map((one) => `action == ${one}`),
  fc.constantFrom(
    'context.job_lists_tool',
    'context.staged_change',
    'context.history_broken.isEmpty()',
    'context has effect',
    'context has egress && context.egress.domains.contains("a.org")',
    'context has egress && context.egress.purpose == ""',
    'context has egress && !context.egress.methods.contains("POST")',
    'context has time && context.time.hour < 12',
    'context has effect.created',
    'action in Action::"fs.*"',
    'action in Action::"write"',
    'resource is File && resource.path like "src/*"',
    'resource is File && resource.access == "write"',
    'resource is Resource && resource.kind == "mailbox"',
    'resource is Resource && resource.owner == ""',
    'resource in Workspace::"wsp_a"',
    'principal == Agent::"agt_a"',
    'context.delegated_by.contains(Agent::"agt_b")',
    'context.delegated_by.isEmpty()',
    '{"Var": context.risk_ceiling, "Value": "none"}.Var == "none"',
    '{"one": context}.one.supervision == "autopilot"',
    '(if context.staged_change then context.supervision else "autopilot") == "autopilot"',
    'context.risk_milli * 9223372036854775807 > 0',
    'context.risk_milli + 9007199254740993 == 9007199254740994',
  ),
);
const condition: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: atom },
  {
    weight: 2,
    arbitrary: fc
      .tuple(atom, fc.constantFrom('&&', '||'), atom, fc.boolean())
      .map(([a, operator, b, negated]) => `${negated ? '!' : ''}((${a}) ${operator} (${b}))`),
  },
);

const ruleOf = (effect: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .record({
      ...scope,
      effect,
      body: fc.option(fc.tuple(fc.constantFrom('when', 'unless'), condition), { nil: null }),
    })
    .map(
      (rule) =>
        `${rule.effect} (${rule.principal}, ${rule.action}, ${rule.resource})${rule.body === null ? '' : ` ${rule.body[0]} { ${rule.body[1]} }`};`,
    );

/** One rule without its annotations. */
export const randomRule = ruleOf(fc.constantFrom('permit', 'permit', 'forbid'));
export const randomForbid = ruleOf(fc.constant('forbid'));
export const randomRules = fc.oneof(fc.array(randomRule, { maxLength: 3 }), fc.array(randomRule, { maxLength: 12 }));

/** Adds ids to rules, in order. */
export const cedarOf = (rules: readonly string[]): string =>
  rules.map((rule, n) => `@id("rule-${n}") ${rule}`).join('\n');

const resource: fc.Arbitrary<FsResource> = fc.record({
  kind: fc.constant('fs' as const),
  access: fc.constantFrom('read' as const, 'write' as const),
  path: fc.constantFrom('src/a.ts', 'docs/b.md', '.env'),
});

const registered: fc.Arbitrary<PolicyResource> = fc.record({
  kind: fc.constantFrom('mailbox' as const, 'info_store' as const),
  name: fc.constantFrom('a', 'b'),
  owner_agent_id: fc.constantFrom(null, 'agt_a'),
});

/** A random request about any of the tools. */
export const randomAsk: fc.Arbitrary<PolicyRequest> = fc
  .record({
    of: fc.constantFrom(...RANDOM_TOOLS),
    agent_id: fc.constantFrom('agt_a', 'agt_b', 'agt_c'),
    workspace_id: fc.constantFrom('wsp_a', 'wsp_b'),
    resources: fc.array(resource, { maxLength: 3 }),
    registered: fc.array(registered, { maxLength: 2 }),
    risk_milli: fc.integer({ min: 0, max: 1000 }),
    risk_ceiling: fc.constantFrom('none' as const, 'none' as const, 'soft_gate' as const, 'no_go' as const),
    task_class: fc.constantFrom('general', 'deploy', 'test'),
    labels: fc.subarray(['x', 'y', 'z']),
    delegated_by: fc.subarray(['agt_b', 'agt_d']),
    session_mode: fc.constantFrom('interactive' as const, 'gateway' as const, 'scheduled' as const),
    job_lists_tool: fc.boolean(),
    staged_change: fc.boolean(),
    egress: fc.option(
      fc.record({
        domains: fc.subarray(['a.org', '*.b.org']),
        methods: fc.subarray(['GET', 'POST']),
        purpose: fc.constantFrom('', 'to see'),
      }),
      { nil: undefined },
    ),
    max_autonomy: fc.constantFrom(null, null, 'autopilot' as const, 'soft_gate' as const, 'escalated' as const),
    time: fc.option(fc.constant({ hour: 10, weekday: 3 }), { nil: undefined }),
  })
  .map(({ of, ...ask }) => ({ ...ask, tool_id: of.tool_id, category: of.category, tool_class: of.class }));
