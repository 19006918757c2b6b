// SPDX-License-Identifier: Apache-2.0
import type { ToolDefinition } from '@writ/contract';

/** Raised when the meaning of a policy text could change: it is part of every policy hash. */
export const POLICY_SCHEMA_VERSION = 2;

/** The attributes of `context` for rules, in the order of the published schema. The texts are the documentation. */
export const CONTEXT_ATTRIBUTES = {
  supervision: [
    'String',
    'the supervision that is asked about: `autopilot`, `soft_gate` or `escalated`; the kernel asks for the least first',
  ],
  risk_milli: ['Long', 'the risk score in thousandths'],
  risk_ceiling: ['String', 'what the risk table asks for at least: `none`, `soft_gate` or `no_go`'],
  risk_level: [
    'String',
    'what the table and the thresholds of the task class ask for at least: `autopilot`, `soft_gate` or `escalated`',
  ],
  task_class: ['String', 'what the caller says that the call is for'],
  tool_class: ['String', 'where the tool runs: `inline`, `sandboxed` or `broker`'],
  labels: [
    'Set<String>',
    'what flowed into the session or the workspace: `untrusted_content`, `secret_read`, `private_data`, and others',
  ],
  delegated_by: [
    'Set<Agent>',
    'the agents above the one that calls from which its token comes, however far up; empty where it has rights of its own: `context.delegated_by.contains(Agent::"agt_…")`',
  ],
  session_mode: ['String', '`interactive`, `gateway` or `scheduled`'],
  job_lists_tool: ['Bool', 'whether the list of the job that the session runs names the tool'],
  staged_change: ['Bool', 'whether the call applies a change that was staged, with its valid token'],
  history_broken: ['Set<String>', "ids of the set's history rules that the call breaks"],
  person: [
    '{ id: String, known: Bool }',
    'the person on whose behalf the call is made, by a stable pseudonym (`per_…`); where no person is known, the id of the API key; absent in tests without one, so ask `context has person` first',
  ],
  time: [
    '{ hour: Long, weekday: Long }',
    "hour (0 to 23) and weekday (1 Monday to 7 Sunday), UTC; absent where the kernel doesn't say, so ask `context has time` first",
  ],
  egress: [
    '{ domains: Set<String>, methods: Set<String>, purpose: String }',
    'where the call would go outside: the host and method that its arguments name; of a command, all that its token lets out; absent where nothing can leave, so ask `context has egress` first',
  ],
  effect: [
    '{ created: Long, modified: Long, deleted: Long, areas: Set<String> }',
    'what the call changed, and in which areas; only when the effect is asked about',
  ],
} as const;
export type ContextAttribute = keyof typeof CONTEXT_ATTRIBUTES;
const OPTIONAL: readonly string[] = ['person', 'time', 'egress', 'effect'];

const CONTEXT = Object.entries(CONTEXT_ATTRIBUTES)
  .map(([name, [type]]) => `    ${name}${OPTIONAL.includes(name) ? '?' : ''}: ${type},`)
  .join('\n');

/** The part of a tool that determines its groups. */
export type GroupedTool = Pick<ToolDefinition, 'tool_id' | 'category'>;

/** The groups of a tool: its category, and every family of its id as in tokens (`git.*`). */
export function groupsOf({ tool_id, category }: GroupedTool): string[] {
  const parts = tool_id.split('.');
  return [category, ...parts.slice(1).map((_, n) => `${parts.slice(0, n + 1).join('.')}.*`)];
}

/**
 * The Cedar schema for checking policies, made from the tools: an agent acts with a tool, in the groups of its category
 * and families, on a workspace, on a file of it, or on a registered resource. Modes are strings, since Cedar has no
 * enumerations for attributes.
 */
export function policySchema(tools: Iterable<Pick<ToolDefinition, 'tool_id' | 'category'>>): string {
  const all = [...tools];
  const groups = [...new Set(['read', 'write', 'admin', ...all.flatMap(groupsOf)])];
  const quoted = (ids: readonly string[]): string => ids.map((id) => `Action::"${id}"`).join(', ');
  const actions = all.map(
    (tool) =>
      `action "${tool.tool_id}" in [${quoted(groupsOf(tool))}] appliesTo {\n  principal: Agent,\n  resource: [Workspace, File, Resource],\n  context: Context,\n};`,
  );
  return [
    `type Context = {\n${CONTEXT}\n};`,
    'entity Agent;',
    'entity Workspace;',
    'entity File in [Workspace] { path: String, access: String };',
    // The owner is the id of an agent; empty where administrators registered it.
    'entity Resource in [Workspace] { kind: String, name: String, owner: String };',
    `action ${groups.map((group) => `"${group}"`).join(', ')};`,
    ...actions,
  ].join('\n');
}
