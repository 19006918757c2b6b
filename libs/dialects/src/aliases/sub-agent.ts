// SPDX-License-Identifier: Apache-2.0

/** What a model is asked for, if it starts a sub-agent without a task. */
export const SUB_AGENT_NEEDS = {
  task: 'say what the agent is to do, with all that it has to know, since it sees nothing of this conversation',
} as const;

/** The task as the sub-agent reads it: with the context behind it. */
export const subAgentTask = (task: string, context: string | undefined): string =>
  context === undefined || context.trim() === '' ? task : `${task}\n\nContext:\n${context}`;

/** Canonical tools of the listed names, each once. Any other name is a pattern of canonical tools already. */
export const toolsNamed = (names: readonly string[], of: ReadonlyMap<string, readonly string[]>): string[] => [
  ...new Set(names.flatMap((name) => of.get(name) ?? [name])),
];
