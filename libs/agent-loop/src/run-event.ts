// SPDX-License-Identifier: Apache-2.0
import { OUTCOME_STATUSES, type OutcomeStatus } from '@writ/dialects';
import { Type, type Static } from 'typebox';
import { ModelTurn, ModelUsage, ToolOutcome } from './model.ts';
import { MODEL_FAULTS, type ModelFault } from './model-error.ts';

const closed = { additionalProperties: false } as const;
const Round = Type.Integer({ minimum: 1 });
const Index = Type.Integer({ minimum: 0, description: 'index of the call in the reply, from 0' });

const NAMES = Object.keys(OUTCOME_STATUSES) as OutcomeStatus[];

/**
 * The answer to a call. `text` is for the model, unless there is an `outcome`, which its dialect renders; then `text`
 * is for people.
 */
export const ToolAnswer = Type.Object(
  {
    text: Type.String(),
    standing: Type.Enum(NAMES),
    is_error: Type.Boolean(),
    outcome: Type.Optional(ToolOutcome),
    operation_id: Type.Optional(
      Type.String({ description: 'the operation of the call; absent if it was refused before it became one' }),
    ),
    below: Type.Optional(
      Type.Object(
        { run_id: Type.String(), tokens: Type.Integer({ minimum: 0 }), cost: Type.Integer({ minimum: 0 }) },
        { ...closed, description: 'of a sub-agent: its run, and the usage of that and those below it' },
      ),
    ),
  },
  closed,
);
export type ToolAnswer = Static<typeof ToolAnswer>;

/** A call that waits for a person, or for the run of a sub-agent. */
export const HeldCall = Type.Object(
  {
    operation_id: Type.String(),
    waits_for: Type.Union([Type.Literal('approval'), Type.Literal('value'), Type.Literal('run')]),
    run_id: Type.Optional(Type.String({ description: "the sub-agent's run, which has to end first" })),
    text: Type.String({ description: 'the text about it for the model and for people' }),
  },
  closed,
);
export type HeldCall = Static<typeof HeldCall>;

const FAULTS = Object.keys(MODEL_FAULTS) as ModelFault[];

/**
 * An event of a run. A run's state is the fold of its events and nothing else, so any process with the events can
 * continue it. Each event is durable before anything follows from it but a request to the model.
 */
export const RunEvent = Type.Union([
  Type.Object({ kind: Type.Literal('replied'), turn: ModelTurn }, closed),
  Type.Object({ kind: Type.Literal('answered'), round: Round, index: Index, answer: ToolAnswer }, closed),
  Type.Object({ kind: Type.Literal('held'), round: Round, index: Index, held: HeldCall }, closed),
  Type.Object({ kind: Type.Literal('explained'), round: Round, turn: ModelTurn }, closed),
  Type.Object({ kind: Type.Literal('resumed') }, closed),
  Type.Object(
    { kind: Type.Literal('compacted'), until: Round, summary: Type.String(), usage: Type.Optional(ModelUsage) },
    closed,
  ),
  Type.Object({ kind: Type.Literal('model_failed'), fault: Type.Enum(FAULTS), message: Type.String() }, closed),
  Type.Object({ kind: Type.Literal('cancelled'), by: Type.String() }, closed),
]);
export type RunEvent = Static<typeof RunEvent>;
