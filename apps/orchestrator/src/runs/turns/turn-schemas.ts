// SPDX-License-Identifier: Apache-2.0 Schemas of turns in the API.
import { AutonomyMode, DataSubject, idSchema, ReceiptState, ResultError, State, TaskClass } from '@writ/contract';
import { DIALECTS, OUTCOME_STATUSES, type OutcomeStatus } from '@writ/dialects';
import { Type, type Static } from 'typebox';
import { closed, Key, orNull } from '../../edge/requests/fields.ts';

const Word = Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$' });
export const Dialect = Type.Enum([...DIALECTS], {
  description: "the format of the model's output; for a provider, the body of its response or stream",
});
/** Most calls of one output. */
const CALLS_MAX = 256;

/** One output of a model. */
export const TurnBody = Type.Object(
  {
    dialect: Dialect,
    output: Type.String({ description: 'the unchanged output of the model' }),
    session_id: Word,
    turn_id: {
      ...Word,
      description:
        'unique in a session for each output; the same turn sent again runs nothing twice, and continues where it stopped',
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
    model: Type.Optional({
      ...Word,
      description: 'the name of the model as you say it; the record holds it as `claimed_model`',
    }),
    sub_agent_model: Type.Optional({
      ...Word,
      description:
        'one of `/v1/models`, for sub-agents that its calls start; default: `model` if it is one of them, else the only one',
    }),
    told: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: CALLS_MAX,
        description: 'ids of calls whose results the model has already; they are omitted from `messages`',
      }),
    ),
  },
  closed,
);
export type TurnBody = Static<typeof TurnBody>;

const STANDING_NAMES = Object.keys(OUTCOME_STATUSES) as OutcomeStatus[];

const TurnCall = Type.Object(
  {
    call_id: Type.String({ description: "the model's own id, or one made from its position" }),
    name: Type.String({ description: 'the name as the model wrote it' }),
    tool_id: Type.String(),
    args: Type.Record(Type.String(), Type.Unknown(), { description: "the tool's arguments" }),
    mode: Type.Enum(['run', 'stage', 'apply'], {
      description: 'stage: stores a change, which is applied by its token; apply: applies such a change',
    }),
    standing: Type.Enum(STANDING_NAMES, { description: 'queued: it waits behind a held or running call' }),
    error: orNull(ResultError),
    operation_id: orNull(idSchema('operation')),
    state: orNull(State),
    approval_id: orNull(idSchema('approval')),
    replayed: Type.Boolean({ description: 'whether it was proposed before' }),
    receipt: orNull(ReceiptState),
  },
  closed,
);

/** The result of a turn. */
export const TurnView = Type.Object(
  {
    turn_id: Word,
    session_id: Word,
    dialect: Dialect,
    state: Type.Enum(['ended', 'held', 'under_way'], {
      description: 'held: a person must decide; send the turn again after that',
    }),
    text: Type.String({ description: 'the text for people' }),
    stop: orNull(Type.Enum(['end', 'tool_use', 'length'])),
    problems: Type.Array(
      Type.Object(
        {
          level: Type.Enum(['protocol', 'call', 'warning'], {
            description: 'protocol: no call of the output ran; call: this call did not run; warning: all calls ran',
          }),
          message: Type.String(),
          call_id: orNull(Type.String()),
          name: orNull(Type.String()),
          at: Type.Integer({ description: 'position in the output, in UTF-16 units' }),
        },
        closed,
      ),
    ),
    calls: Type.Array(TurnCall, { description: 'in the order of the output' }),
    messages: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'messages for the model, in the format of its provider',
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
        description: 'schemas of tools in the format of the provider; null for a text dialect',
      }),
    ),
  },
  closed,
);
