// SPDX-License-Identifier: Apache-2.0
// What the API takes and answers about turns.
import { AutonomyMode, DataSubject, idSchema, ReceiptState, ResultError, State, TaskClass } from '@writ/contract';
import { DIALECTS, OUTCOME_STATUSES, type OutcomeStatus } from '@writ/dialects';
import { Type, type Static } from 'typebox';
import { closed, Key, orNull } from '../../edge/requests/fields.ts';

const Word = Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$' });
export const Dialect = Type.Enum([...DIALECTS], {
  description: 'what the model writes; of a provider, the body of its answer or of its stream',
});
/** As many as one output may have. */
const CALLS_MAX = 256;

/** One output of a model. */
export const TurnBody = Type.Object(
  {
    dialect: Dialect,
    output: Type.String({ description: 'what the model wrote, as it is' }),
    session_id: Word,
    turn_id: {
      ...Word,
      description:
        'once in a session for each output; the same turn sent again runs nothing twice, and goes on where it stood',
    },
    agent_id: Type.Optional(idSchema('agent')),
    capability_token_id: Key,
    workspace_id: Key,
    session_mode: Type.Optional(Type.Enum(['interactive', 'gateway', 'scheduled'])),
    task_class: Type.Optional(TaskClass),
    max_autonomy: Type.Optional(AutonomyMode),
    deadline: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'of each call, in milliseconds since the epoch',
      }),
    ),
    data_subject: Type.Optional(DataSubject),
    model: Type.Optional({ ...Word, description: 'who wrote it, for the record' }),
    told: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: CALLS_MAX,
        description: 'calls of which the model was told before, by their ids: they are left out of `messages`',
      }),
    ),
  },
  closed,
);
export type TurnBody = Static<typeof TurnBody>;

const STANDING_NAMES = Object.keys(OUTCOME_STATUSES) as OutcomeStatus[];

const TurnCall = Type.Object(
  {
    call_id: Type.String({ description: "the model's own id, or one made from its place" }),
    name: Type.String({ description: 'as the model wrote it' }),
    tool_id: Type.String(),
    args: Type.Record(Type.String(), Type.Unknown(), { description: "the tool's own" }),
    mode: Type.Enum(['run', 'stage', 'apply'], {
      description: 'stage: kept as a change, which is applied by its token; apply: such a change',
    }),
    standing: Type.Enum(STANDING_NAMES, { description: 'queued: it waits behind a call that is held or under way' }),
    error: orNull(ResultError),
    operation_id: orNull(idSchema('operation')),
    state: orNull(State),
    approval_id: orNull(idSchema('approval')),
    replayed: Type.Boolean({ description: 'it had been begun before' }),
    receipt: orNull(ReceiptState),
  },
  closed,
);

/** What became of a turn. */
export const TurnView = Type.Object(
  {
    turn_id: Word,
    session_id: Word,
    dialect: Dialect,
    state: Type.Enum(['ended', 'held', 'under_way'], {
      description: 'held: a person must decide; send the turn again when that has happened',
    }),
    text: Type.String({ description: 'what is for people' }),
    stop: orNull(Type.Enum(['end', 'tool_use', 'length'])),
    problems: Type.Array(
      Type.Object(
        {
          level: Type.Enum(['protocol', 'call', 'warning'], {
            description: "protocol: nothing of the output ran; call: that call didn't; warning: all else did",
          }),
          message: Type.String(),
          call_id: orNull(Type.String()),
          name: orNull(Type.String()),
          at: Type.Integer({ description: 'where in the output, in UTF-16 units' }),
        },
        closed,
      ),
    ),
    calls: Type.Array(TurnCall, { description: 'in the order of the output' }),
    messages: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'what the model is to be told, in the shape that its provider takes',
    }),
  },
  closed,
);
export type TurnView = Static<typeof TurnView>;

export const PromptView = Type.Object(
  {
    dialect: Dialect,
    system: Type.String({ description: 'text for the system prompt' }),
    tools: orNull(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description: 'schemas of tools as the provider takes them; null for a dialect that is written in text',
      }),
    ),
  },
  closed,
);
