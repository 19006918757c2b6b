// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { fieldsOf, momentOf } from '../terminal.ts';

const text = Type.String();
const count = Type.Integer({ minimum: 0 });
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Session = Type.Object({
  session_id: text,
  name: orNull(text),
  agent_id: text,
  workspace_id: text,
  capability_token_id: text,
  dialect: text,
  model: text,
  forked_from: orNull(Type.Object({ run_id: text, after: count })),
  session_mode: Type.Optional(text),
  spawned_by: orNull(Type.Object({ run_id: orNull(text), operation_id: text })),
  job_id: orNull(text),
  created_at: count,
  created_by: text,
});
export type Session = Static<typeof Session>;

export const Run = Type.Object({
  run_id: text,
  session_id: text,
  model: text,
  state: text,
  stopped: orNull(text),
  waits_for: Type.Array(text),
  cancel_asked: Type.Boolean(),
  error: orNull(Type.Object({ fault: text, message: text })),
  events: count,
  rounds: count,
  input_tokens: count,
  output_tokens: count,
  cost: orNull(count),
  created_at: count,
  created_by: text,
  started_at: orNull(count),
  ended_at: orNull(count),
});
export type Run = Static<typeof Run>;

const Answer = orNull(
  Type.Object({
    verdict: text,
    mode: text,
    rule_ids: Type.Array(text),
    reasons: Type.Array(Type.Object({ code: text, message: text })),
  }),
);
const position = { run_id: text, round: count, index: count };
/** One page of a replay. */
export const Replay = Type.Object({
  run_id: text,
  candidate: Type.Object({ policy_hash: text, name: text, enforcement: text }),
  next_cursor: orNull(text),
  parts_at: orNull(Type.Object(position)),
  counts: Type.Object({
    examined: count,
    skipped: count,
    changed: count,
    would_be: Type.Object({ admitted: count, held: count, refused: count }),
  }),
  items: Type.Array(
    Type.Object({
      ...position,
      tool_id: text,
      operation_id: orNull(text),
      was: Answer,
      would_be: Answer,
      why_not: orNull(text),
    }),
  ),
});
export type Replay = Static<typeof Replay>;

const momentOrNone = (at: number | null): string | null => (at === null ? null : momentOf(at));
export const stateOf = ({ state, stopped }: Run): string => (stopped === null ? state : `${state}: ${stopped}`);

export function describeSession(session: Session): string {
  return fieldsOf({
    session: session.session_id,
    name: session.name,
    agent: session.agent_id,
    workspace: session.workspace_id,
    token: session.capability_token_id,
    model: session.model,
    dialect: session.dialect,
    'forked from':
      session.forked_from === null ? null : `${session.forked_from.run_id}, after event ${session.forked_from.after}`,
    'sub-agent of':
      session.spawned_by === null
        ? null
        : `${session.spawned_by.run_id ?? 'a turn'}, call ${session.spawned_by.operation_id}`,
    job: session.job_id,
    mode: session.session_mode ?? null,
    made: `${momentOf(session.created_at)} by ${session.created_by}`,
  });
}

export function describeRun(run: Run): string {
  return fieldsOf({
    run: run.run_id,
    session: run.session_id,
    state: stateOf(run),
    error: run.error === null ? null : `${run.error.fault}: ${run.error.message}`,
    'waits for': run.waits_for.join('\n'),
    'asked to end': run.cancel_asked ? 'yes' : null,
    model: run.model,
    rounds: run.rounds,
    events: run.events,
    tokens: `${run.input_tokens} in, ${run.output_tokens} out`,
    cost: run.cost === null ? null : `${run.cost} millionths`,
    asked: `${momentOf(run.created_at)} by ${run.created_by}`,
    started: momentOrNone(run.started_at),
    ended: momentOrNone(run.ended_at),
  });
}
