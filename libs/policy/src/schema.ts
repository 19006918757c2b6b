// SPDX-License-Identifier: Apache-2.0
import type { ToolDefinition } from '@writ/contract';

/** Raised when a policy text could come to mean something else: it goes into every policy hash. */
export const POLICY_SCHEMA_VERSION = 1;

const CONTEXT = `{
    risk_milli: Long,
    risk_ceiling: String,
    task_class: String,
    tool_class: String,
    labels: Set<String>,
    session_mode: String,
    supervision: String,
    job_lists_tool: Bool,
    staged_change: Bool,
    effect?: { created: Long, modified: Long, deleted: Long, areas: Set<String> },
  }`;

/**
 * The Cedar schema that policies are checked against: an agent acts with a tool, in the group of its category, on a workspace or on a file
 * of it. Texts instead of enumerations for mode and ceiling, since Cedar has none for attributes.
 */
export function policySchema(tools: Iterable<ToolDefinition>): string {
  const actions = [...tools].map(({ tool_id, category }) =>
    `action "${tool_id}" in [Action::"${category}"] appliesTo {\n  principal: Agent,\n  resource: [Workspace, File],\n  context: ${CONTEXT},\n};`);
  return [
    'entity Agent;',
    'entity Workspace;',
    'entity File in [Workspace] { path: String, access: String };',
    'action "read", "write", "admin";',
    ...actions,
  ].join('\n');
}
