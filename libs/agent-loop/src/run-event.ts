// SPDX-License-Identifier: Apache-2.0
import { OUTCOME_STATUSES, type OutcomeStatus } from '@writ/dialects';
import { Type, type Static } from 'typebox';
import { ModelTurn, ModelUsage, ToolOutcome } from './model.ts';
import { MODEL_FAULTS, type ModelFault } from './model-error.ts';

const closed = { additionalProperties: false } as const;
const Round = Type.Integer({ minimum: 1 });
const Index = Type.Integer({ minimum: 0, description: 'which call of the reply, from 0' });

const NAMES = Object.keys(OUTCOME_STATUSES) as OutcomeStatus[];

/**
 * What a call was answered: `text` is as the model reads it, but where there is an `outcome`, which its dialect
 * renders; then the text is for people.
 */
export const ToolAnswer = Type.Object(
  {
    text: Type.String(),
    standing: Type.Enum(NAMES),
    is_error: Type.Boolean(),
    outcome: Type.Optional(ToolOutcome),
    operation_id: Type.Optional(
      Type.String({ description: 'what the call became; absent where it was refused before it was one' }),
    ),
    below: Type.Optional(
      Type.Object(
        { run_id: Type.String(), tokens: Type.Integer({ minimum: 0 }), cost: Type.Integer({ minimum: 0 }) },
        { ...closed, description: 'of a sub-agent: its run, and what that and those below it used' },
      ),
    ),
  },
  closed,
);
export type ToolAnswer = Static<typeof ToolAnswer>;

/** A call that waits: for a person, or for the run of a sub-agent. */
export const HeldCall = Type.Object(
  {
    operation_id: Type.String(),
    waits_for: Type.Union([Type.Literal('approval'), Type.Literal('value'), Type.Literal('run')]),
    run_id: Type.Optional(Type.String({ description: "the sub-agent's, which has to end first" })),
    text: Type.String({ description: 'what the model and people are told of it' }),
  },
  closed,
);
export type HeldCall = Static<typeof HeldCall>;

const FAULTS = Object.keys(MODEL_FAULTS) as ModelFault[];

/**
 * What happened in a run. A run's state is the fold of its events and nothing else, so whoever has them may go on with
 * it: each is made durable before anything follows from it but a question to the model.
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
