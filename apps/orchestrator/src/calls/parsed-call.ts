// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller, type ProposedCall } from '@writ/contract';

/** A parsed call, without the members that its proposal adds. */
export type ParsedCall = Omit<ProposedCall, 'operation_id' | 'args_ref'> & {
  readonly args: Readonly<Record<string, unknown>>;
};

/**
 * The agent on whose behalf the caller acts: the key's agent, or the one that the request names. Faults: `not_found`
 * for an agent other than the key's, `request.malformed` where none is named.
 */
export function agentOf(named: string | undefined, caller: Caller): string {
  // An agent other than the key's gets the same answer as one that doesn't exist.
  if (caller.agent_id !== null) {
    if (named !== undefined && named !== caller.agent_id) throw new Fault('not_found');
    return caller.agent_id;
  }
  if (named === undefined)
    throw new Fault('request.malformed', '`agent_id` is needed: the key is of no agent', { pointer: '/agent_id' });
  return named;
}
