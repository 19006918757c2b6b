// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, Fault, TOOLS } from '@writ/contract';
import { parsePath } from '@writ/workspace';
import type { Touch } from './touches.ts';

/**
 * What a call of one of Writ's own tools touches, as far as its arguments say; null where that can't be known: a
 * command may touch and reach anything, and so may a tenant's tool. A call that the kernel refuses for its form touches
 * nothing. Pure; arguments are attacker-controlled.
 */
export function touchesOf({
  tool_id,
  args,
}: {
  readonly tool_id: string;
  readonly args: Readonly<Record<string, unknown>>;
}): readonly Touch[] | null {
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
    // What changes something and names neither path nor host changes what no row tells of: the tasks of a session, say.
    return touched.length === 0 && tool.mutating ? null : touched;
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}
