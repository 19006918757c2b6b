// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller, type ProposedCall } from '@writ/contract';

/** A call without what is made at its proposal. */
export type ParsedCall = Omit<ProposedCall, 'operation_id' | 'args_ref'> & {
  readonly args: Readonly<Record<string, unknown>>;
};

/**
 * The agent that the caller speaks for: its key's own, or the one that is named. Faults: `not_found` for another than
 * the key's own, `request.malformed` where none is named.
 */
export function agentOf(named: string | undefined, caller: Caller): string {
  // Another agent than the key's own is answered as one that isn't there.
  if (caller.agent_id !== null) {
    if (named !== undefined && named !== caller.agent_id) throw new Fault('not_found');
    return caller.agent_id;
  }
  if (named === undefined)
    throw new Fault('request.malformed', '`agent_id` is needed: the key is of no agent', { pointer: '/agent_id' });
  return named;
}
