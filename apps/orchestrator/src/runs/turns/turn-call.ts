// SPDX-License-Identifier: Apache-2.0
import { principalOf, type Caller } from '@writ/contract';
import type { Args, DialectName } from '@writ/dialects';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { TurnBody } from './turn-schemas.ts';
import { agentOf, type ParsedCall } from '../../calls/parsed-call.ts';

/** One output of a model, by where it belongs: what calls in it have in common. */
export interface Turn extends Omit<TurnBody, 'agent_id' | 'output' | 'told'> {
  readonly dialect: DialectName;
  readonly agent_id: string;
  /** of a run of a session, whose turns are its rounds */
  readonly run_id?: string;
}

/** A turn as it is posted, by the agent that it is of. */
export interface PostedTurn extends Turn, Pick<TurnBody, 'output' | 'told'> {}

/** Faults: those of `agentOf`. */
export const turnOf = (body: TurnBody, caller: Caller): PostedTurn => ({
  ...body,
  agent_id: agentOf(body.agent_id, caller),
});

/**
 * The idempotency key of a call of a turn. INVARIANT (once): it is made of the session, the turn (with the run whose
 * round it is) and the call's id and of nothing else, so that a turn which is posted again, here or at another replica,
 * asks what became of its calls.
 */
export const keyOf = (
  { session_id, run_id, turn_id }: Pick<Turn, 'session_id' | 'run_id' | 'turn_id'>,
  callId: string,
  part = '',
): string =>
  `turn:${sha256Hex(canonicalBytes([session_id, ...(run_id === undefined ? [] : [run_id]), turn_id, callId, part]))}`;

/** A call of a turn as it is proposed: like one that came by itself, with where it comes from. */
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
    tool_id,
    args,
    capability_token_id: turn.capability_token_id,
    workspace_id: turn.workspace_id,
    session_id,
    session_mode: turn.session_mode ?? 'interactive',
    max_autonomy: turn.max_autonomy ?? null,
    task_class: turn.task_class ?? 'general',
    idempotency_key: key,
    precondition_refs: [],
    provenance: {
      dialect,
      session_id,
      ...(run_id === undefined ? { source: 'api' } : { source: 'run', run_id }),
      turn: turn_id,
      ...(model === undefined ? {} : { model }),
    },
    deadline: turn.deadline ?? null,
    dry_run: false,
    ...(turn.data_subject === undefined ? {} : { data_subject: turn.data_subject }),
  };
}
