// SPDX-License-Identifier: Apache-2.0
import { personIn, principalOf, type Caller, type SchedulingClass } from '@writ/contract';
import type { Args, DialectName } from '@writ/dialects';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { TurnBody } from './turn-schemas.ts';
import { agentOf, type ParsedCall } from '../../calls/parsed-call.ts';

/** The context of one output of a model, which all calls in it share. */
export interface Turn extends Omit<TurnBody, 'agent_id' | 'output' | 'told'> {
  readonly dialect: DialectName;
  readonly agent_id: string;
  /** set for a run of a session, whose rounds are the turns */
  readonly run_id?: string;
  /** set for a run of a job: the class that the job's definition names */
  readonly scheduling_class?: SchedulingClass;
}

/** A posted turn, with its agent. */
export interface PostedTurn extends Turn, Pick<TurnBody, 'output' | 'told'> {}

/** Faults: those of `agentOf`. */
export const turnOf = (body: TurnBody, caller: Caller): PostedTurn => ({
  ...body,
  agent_id: agentOf(body.agent_id, caller),
});

/**
 * The idempotency key of a call of a turn. INVARIANT (once): it is made only of the session, the run if there is one,
 * the turn and the call's id. So a turn that is posted again, at any replica, gets the results of its earlier calls.
 */
export const keyOf = (
  { session_id, run_id, turn_id }: Pick<Turn, 'session_id' | 'run_id' | 'turn_id'>,
  callId: string,
  part = '',
): string =>
  `turn:${sha256Hex(canonicalBytes([session_id, ...(run_id === undefined ? [] : [run_id]), turn_id, callId, part]))}`;

/** Builds the proposal of a call in a turn: like a single call, with its provenance. */
export function callOf(
  turn: Turn,
  caller: Caller,
  { tool_id, args, key }: { readonly tool_id: string; readonly args: Args; readonly key: string },
): ParsedCall {
  const { dialect, session_id, turn_id, run_id, model } = turn;
  return {
    v: 1,
    tenant_id: caller.tenant_id,
    agent_id: turn.agent_id,
    proposed_by: caller.api_key_id,
    proposers: [principalOf(caller)],
    ...personIn(caller),
    tool_id,
    args,
    capability_token_id: turn.capability_token_id,
    workspace_id: turn.workspace_id,
    session_id,
    session_mode: turn.session_mode ?? 'interactive',
    max_autonomy: turn.max_autonomy ?? null,
    task_class: turn.task_class ?? 'general',
    ...(turn.scheduling_class === undefined ? {} : { scheduling_class: turn.scheduling_class }),
    idempotency_key: key,
    precondition_refs: [],
    provenance: {
      dialect,
      session_id,
      turn: turn_id,
      ...(run_id === undefined ? { source: 'api' } : { source: 'run', run_id }),
      // Only a run knows its model. Of a posted turn it is what the caller says.
      ...(model === undefined ? {} : run_id === undefined ? { claimed_model: model } : { model }),
    },
    deadline: turn.deadline ?? null,
    dry_run: false,
    ...(turn.data_subject === undefined ? {} : { data_subject: turn.data_subject }),
  };
}
