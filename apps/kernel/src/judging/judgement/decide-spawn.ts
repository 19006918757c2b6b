// SPDX-License-Identifier: Apache-2.0
import { AGENT_SPAWN, Fault, parseMessage, SpawnArgs, type CapabilityToken, type Verdict } from '@writ/contract';
import { decideSpawn, type ChildToken } from '@writ/capability';
import { parsePath } from '@writ/workspace';
import { refusal, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
import type { WellFormed } from './decide-form.ts';

/**
 * What the token of a sub-agent would be, by the arguments of the call that asks for it.
 * @param chain leaf first, valid now
 */
export function spawnVerdict(
  chain: readonly CapabilityToken[],
  workspaceId: string,
  args: Readonly<Record<string, unknown>>,
): Verdict<{ child: ChildToken }> {
  const { fs, ...asked } = parseMessage(SpawnArgs, args);
  try {
    return decideSpawn({
      chain,
      workspace_id: workspaceId,
      asked: {
        ...asked,
        ...(fs === undefined ? {} : { fs: fs.map((root) => ({ ...root, path: parsePath(root.path) })) }),
      },
    });
  } catch (error) {
    if (error instanceof Fault && (error.code === 'path.escape' || error.code === 'path.invalid'))
      return { effect: 'refuse', code: error.code, message: error.message };
    throw error;
  }
}

/**
 * Decides whether a call may have a sub-agent: within a run, since only a run has somebody to wait for it, and no wider
 * than its own token. Null: it may, or it is another call. The token itself is made when the call has been committed,
 * by the same rule.
 */
export function refuseSpawn(call: JudgedCall, { chain }: CallFacts, { tool, args }: WellFormed): Refusal | null {
  if (tool.tool_id !== AGENT_SPAWN.tool_id) return null;
  if (call.provenance.source !== 'run' || call.provenance.run_id === undefined)
    return refusal(
      'tool.not_available',
      `\`${tool.tool_id}\` is for runs of sessions: nobody else would drive a sub-agent`,
      'begin a session (`POST /v1/sessions`), and give its agent the task',
    );
  const verdict = spawnVerdict(
    chain.map(({ token }) => token),
    call.workspace_id,
    args.value,
  );
  return verdict.effect === 'refuse' ? refusal(verdict.code, verdict.message) : null;
}
