// SPDX-License-Identifier: Apache-2.0
import { AGENT_DESCRIBE, AGENT_MANAGE, madeFreezeId, type AgentChange, type AgentState } from '@writ/contract';
import type { FileToolOutcome } from '@writ/workspace';
import type { Call } from '../calls/runner.ts';

const success = (result: unknown): FileToolOutcome<unknown> => ({ ok: true, delta: null, blobs: [], result });
const conflict = (message: string, hint: string): FileToolOutcome<never> => ({
  ok: false,
  code: 'agent.conflict',
  message,
  hint,
});

/** States of calls that can be cancelled by an agent: a held one waits for a person, who decides. */
const CANCELLABLE: ReadonlySet<string> = new Set(['admitted', 'dispatched', 'performing', 'performed']);

/**
 * Answers a call about another agent. The executor changes nothing: the kernel makes the change when it commits the
 * call, from the arguments that it decided on, and checks then once more what is checked here.
 */
export function runAgentTool({
  toolId,
  operationId,
  args,
  agent,
}: Pick<Call, 'toolId' | 'operationId' | 'args' | 'agent'>): FileToolOutcome<unknown> {
  if (agent === undefined) throw new Error(`a call of \`${toolId}\` came without its agent`);
  if (toolId === AGENT_DESCRIBE.tool_id) return success({ agent });
  if (toolId !== AGENT_MANAGE.tool_id) throw new Error(`\`${toolId}\` is no tool about agents`);
  const change = args['change'] as AgentChange;
  const { agent_id } = agent;
  const own = agent.freezes.find(isOwn);
  const changed = { agent_id, change, freeze_id: null, operations: [] as string[], more_operations: false };
  switch (change) {
    case 'freeze':
      return own === undefined
        ? success({ ...changed, freeze_id: madeFreezeId(operationId) })
        : conflict(`you have frozen the agent already: \`${own.freeze_id}\``, 'lift it first to freeze it otherwise');
    case 'lift':
      return own === undefined
        ? conflict('no freeze that you placed stands on the agent', liftHint(agent))
        : success(changed);
    case 'cancel':
      return success({
        ...changed,
        operations: agent.operations.filter(isCancellable).map((each) => each.operation_id),
        // Those that a cancel covers come first: where another one is listed, all of them are.
        more_operations: agent.more_operations && agent.operations.every(isCancellable),
      });
  }
}

type Freeze = AgentState['freezes'][number];
const isOwn = ({ scope, placed_by }: Freeze): boolean => scope === 'agent' && placed_by === 'you';
const isCancellable = ({ state, cancel_requested }: AgentState['operations'][number]): boolean =>
  CANCELLABLE.has(state) && !cancel_requested;

function liftHint({ freezes: [other] }: AgentState): string {
  return other === undefined
    ? 'it is not frozen'
    : `\`${other.freeze_id}\` was placed by somebody else: an administrator lifts it`;
}
