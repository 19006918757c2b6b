// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, Fault, TOOLS } from '@writ/contract';
import { parsePath } from '@writ/workspace';
import type { Touch } from './touches.ts';

/**
 * The resources that a call of one of Writ's own tools touches, as far as its arguments show. Null if unknown: a
 * command may touch and reach anything, and so may a tenant's tool, and a call whose variables are not filled in yet. A
 * call that the kernel refuses as malformed touches nothing. Pure; arguments are attacker-controlled.
 */
export function touchesOf({
  tool_id,
  args,
  variables = [],
}: {
  readonly tool_id: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly variables?: readonly string[];
}): readonly Touch[] | null {
  if (variables.length > 0) return null;
  const tool = TOOLS.get(tool_id);
  if (tool === undefined || tool.class === 'sandboxed') return null;
  if (argumentFaults(tool, args).length > 0) return [];
  const requests = tool.requests?.(args) ?? [];
  const hosts = requests.flatMap(({ url }): Touch[] =>
    URL.canParse(url) ? [{ kind: 'host', name: new URL(url).host }] : [],
  );
  try {
    const touched = [
      ...tool.resources(args).map(({ path }): Touch => ({ kind: 'path', name: parsePath(path) })),
      ...hosts,
    ];
    // A mutating call without a path or host changes something that is not listed, such as the tasks of a session.
    return touched.length === 0 && tool.mutating ? null : touched;
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}
