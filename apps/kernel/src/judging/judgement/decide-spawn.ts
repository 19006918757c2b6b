// SPDX-License-Identifier: Apache-2.0
import {
  AGENT_SPAWN,
  Fault,
  parseMessage,
  SpawnArgs,
  TURN_SOURCE,
  type CapabilityToken,
  type Verdict,
} from '@writ/contract';
import { decideSpawn, type ChildToken } from '@writ/capability';
import { parsePath } from '@writ/workspace';
import { refusal, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
import type { WellFormed } from './decide-form.ts';

/**
 * Decides the token that a sub-agent would get, by the arguments of the call that requests it.
 * @param chain leaf first, valid now
 */
export function spawnVerdict(
  chain: readonly CapabilityToken[],
  workspaceId: string,
  args: Readonly<Record<string, unknown>>,
): Verdict<{ child: ChildToken }> {
  const { fs, ...requested } = parseMessage(SpawnArgs, args);
  try {
    return decideSpawn({
      chain,
      workspace_id: workspaceId,
      requested: {
        ...requested,
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
 * Decides whether a call may have a sub-agent: within a run or a turn, since only these wait for one, and no wider than
 * its own token. Null: it may, or it is another call. The token itself is made when the call has been committed, by the
 * same rule.
 */
export function refuseSpawn(call: JudgedCall, { chain }: CallFacts, { tool, args }: WellFormed): Refusal | null {
  if (tool.tool_id !== AGENT_SPAWN.tool_id) return null;
  const { source, run_id, turn } = call.provenance;
  if (!(source === 'run' && run_id !== undefined) && !(source === TURN_SOURCE && turn !== undefined))
    return refusal(
      'tool.not_available',
      `\`${tool.tool_id}\` is for runs of sessions and for turns: a call alone has no sub-agent driven`,
      'begin a session (`POST /v1/sessions`) and give its agent the task, or post the output of a model (`POST /v1/turns`)',
    );
  const verdict = spawnVerdict(
    chain.map(({ token }) => token),
    call.workspace_id,
    args.value,
  );
  return verdict.effect === 'refuse' ? refusal(verdict.code, verdict.message) : null;
}
