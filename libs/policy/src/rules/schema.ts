// SPDX-License-Identifier: Apache-2.0
import type { RedactableResult, ToolDefinition } from '@writ/contract';
import { namedPart, type ArgumentReads } from '../arguments/argument-reads.ts';
import { argumentsType, cedarTypeText, partsOf, type RecordType } from '../arguments/argument-type.ts';

/** Raised when the meaning of a policy text could change: it is part of every policy hash. */
export const POLICY_SCHEMA_VERSION = 5;
/**
 * The versions in the hashes of sets that don't use what came later: version 3 added `context.args`, version 4
 * `@redact`, and version 5 `@approvers`. None changed anything else, so the sets of before keep their meaning and their
 * hash.
 */
const [VERSION_WITHOUT_ARGUMENTS, VERSION_WITHOUT_REDACTIONS, VERSION_WITHOUT_GROUPS] = [2, 3, 4];

/** What a set uses that some version of the schema added. */
export interface SchemaUse {
  readonly reserves: boolean;
  readonly redacts: boolean;
  readonly readsArguments: boolean;
}

/** The version that is part of the hash of a set. */
export function schemaVersionFor({ reserves, redacts, readsArguments }: SchemaUse): number {
  if (reserves) return POLICY_SCHEMA_VERSION;
  if (redacts) return VERSION_WITHOUT_GROUPS;
  return readsArguments ? VERSION_WITHOUT_REDACTIONS : VERSION_WITHOUT_ARGUMENTS;
}

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
  args: [
    '{ … }',
    "the arguments of the call, each with the type that the tool's schema gives it; a rule on several tools asks `context has args && context.args has encoding` first",
  ],
} as const;
export type ContextAttribute = keyof typeof CONTEXT_ATTRIBUTES;
const OPTIONAL: readonly string[] = ['person', 'time', 'egress', 'effect'];

/** The attributes that every tool's context has; `args` depends on the tool. */
const CONTEXT = Object.entries(CONTEXT_ATTRIBUTES)
  .filter(([name]) => name !== 'args')
  .map(([name, [type]]) => `    ${name}${OPTIONAL.includes(name) ? '?' : ''}: ${type},`)
  .join('\n');

/** The part of a tool that determines its groups. */
export type GroupedTool = Pick<ToolDefinition, 'tool_id' | 'category'>;

/** The groups of a tool: its category, and every family of its id as in tokens (`git.*`). */
export function groupsOf({ tool_id, category }: GroupedTool): string[] {
  const parts = tool_id.split('.');
  return [category, ...parts.slice(1).map((_, n) => `${parts.slice(0, n + 1).join('.')}.*`)];
}

/** A tool as rules see it: its groups, and its arguments by their schema or their type. */
export interface PolicyTool extends GroupedTool {
  readonly parameters?: object;
  /** the type that `parameters` have, for threads; absent or null with no parameters: it has no `context.args` */
  readonly args?: RecordType | null;
  /** its result as rules may redact it; null: they can't; absent: not known, so nothing is checked by it */
  readonly redactable?: RedactableResult | null;
}

/** The type of a tool's arguments; null where its schema isn't known. */
export const argumentsOf = ({ parameters, args }: PolicyTool): RecordType | null =>
  args ?? (parameters === undefined ? null : argumentsType(parameters));

/** Limit on the parts of all arguments together. Beyond it only those are in the schema that the rules name. */
const PARTS_MAX = 8_192;

/** The arguments of each tool that the schema has, in the order of the tools; null: none. */
function argumentsInSchema(tools: readonly PolicyTool[], reads: ArgumentReads | null): (RecordType | null)[] {
  if (reads === null) return tools.map(() => null);
  const types = tools.map(argumentsOf);
  const parts = types.reduce((sum, type) => sum + (type === null ? 0 : partsOf(type)), 0);
  return parts <= PARTS_MAX ? types : types.map((type) => (type === null ? null : namedPart(type, reads)));
}

/** Ids that need no escapes; no tool has another. */
const PLAIN_ID = /^[^\p{C}"\\]+$/u;
const EVERYTHING: ArgumentReads = { whole: true, members: new Map() };

/**
 * The Cedar schema for checking policies, made from the tools: an agent acts with a tool, in the groups of its category
 * and families, on a workspace, on a file of it, or on a registered resource. Modes are strings, since Cedar has no
 * enumerations for attributes.
 *
 * @param reads the arguments that the rules read; null: none, and no context has any
 * @param others more actions that rules name, to which no rule applies
 */
export function policySchema(
  tools: Iterable<PolicyTool>,
  reads: ArgumentReads | null = EVERYTHING,
  others: readonly string[] = [],
): string {
  const all = [...tools];
  const ids = new Set(all.map(({ tool_id }) => tool_id));
  const named = others.filter((id) => !ids.has(id) && PLAIN_ID.test(id));
  const groups = [...new Set(['read', 'write', 'admin', ...all.flatMap(groupsOf), ...named])];
  const quoted = (ids: readonly string[]): string => ids.map((id) => `Action::"${id}"`).join(', ');
  const args = argumentsInSchema(all, reads);
  const contexts = new Contexts();
  const actions = all.map(
    (tool, n) =>
      `action "${tool.tool_id}" in [${quoted(groupsOf(tool))}] appliesTo {\n  principal: Agent,\n  resource: [Workspace, File, Resource],\n  context: ${contexts.nameOf(args[n] ?? null)},\n};`,
  );
  return [
    ...contexts.definitions(),
    'entity Agent;',
    'entity Workspace;',
    'entity File in [Workspace] { path: String, access: String };',
    // The owner is the id of an agent; empty where administrators registered it.
    'entity Resource in [Workspace] { kind: String, name: String, owner: String };',
    `action ${groups.map((group) => `"${group}"`).join(', ')};`,
    ...actions,
  ].join('\n');
}

/** The types of contexts: tools with the same arguments share one, which makes checking four times as fast. */
class Contexts {
  /** names by the type of the arguments; empty for none */
  readonly #names = new Map<string, string>([['', 'Context']]);

  nameOf(args: RecordType | null): string {
    const text = args === null ? '' : cedarTypeText(args);
    const name = this.#names.get(text) ?? `Context${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  /** All that were named so far, and the one without arguments. */
  definitions(): string[] {
    return [...this.#names].map(
      ([args, name]) => `type ${name} = {\n${CONTEXT}\n${args === '' ? '' : `    args: ${args},\n`}};`,
    );
  }
}
