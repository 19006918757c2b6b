// SPDX-License-Identifier: Apache-2.0
import type { OutcomeStatus } from '@writ/dialects';
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

/** A call in a model's reply. `id` is the model's own and identifies the call in the conversation only. */
export const ModelCall = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    tool_id: Type.String(),
    args: Type.Record(Type.String(), Type.Unknown()),
    problem: Type.Optional(
      Type.String({
        description:
          "why it can't run, in words for the model, such as arguments that are no JSON object; this is its answer, and it is never proposed",
      }),
    ),
    // Of dialects that are written in text:
    name: Type.Optional(Type.String({ description: "the tool's name as the model wrote it, if it is an alias" })),
    mode: Type.Optional(
      Type.Enum(['stage', 'apply'], {
        description: 'stage: shown and kept as a change; apply: the staged change that `args.token` names',
      }),
    ),
    variables: Type.Optional(
      Type.Array(Type.String(), { description: 'names of variables in its arguments that are not filled in yet' }),
    ),
    show: Type.Optional(
      Type.Object(
        {
          chars_max: Type.Optional(Type.Integer({ minimum: 1 })),
          legacy: Type.Optional(Type.Literal(true)),
          warnings: Type.Optional(
            Type.Array(Type.String(), { description: 'what was changed in its arguments before it ran' }),
          ),
        },
        { ...closed, description: 'how its answer is rendered' },
      ),
    ),
  },
  closed,
);
export type ModelCall = Static<typeof ModelCall>;

/** Tokens of one reply. `input_tokens` counts the cached ones too. */
export const ModelUsage = Type.Object(
  {
    input_tokens: Type.Integer({ minimum: 0 }),
    cached_tokens: Type.Integer({ minimum: 0 }),
    output_tokens: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type ModelUsage = Static<typeof ModelUsage>;

/**
 * One reply of a model. `length`: it was cut off, so its last call may be incomplete and none of them runs. `refusal`:
 * the provider withheld the rest. `problems`: parts of a dialect's envelope that can't be parsed, in words for the
 * model.
 */
export const ModelTurn = Type.Object(
  {
    text: Type.String(),
    calls: Type.Array(ModelCall),
    stop: Type.Union([Type.Literal('end'), Type.Literal('tool_use'), Type.Literal('length'), Type.Literal('refusal')]),
    problems: Type.Optional(Type.Array(Type.String())),
    notes: Type.Optional(
      Type.Array(Type.String(), { description: 'parts that were ignored, though the rest was parsed' }),
    ),
    written: Type.Optional(
      Type.String({ description: 'the reply as written, if the dialect is text: `text` is without its calls' }),
    ),
    usage: Type.Optional(ModelUsage),
    native: Type.Optional(
      Type.Object(
        { provider: Type.String(), content: Type.Unknown() },
        {
          ...closed,
          description:
            'the reply in its provider’s format, which the provider needs back unchanged (signed thoughts, for example); other providers receive text and calls',
        },
      ),
    ),
  },
  closed,
);
export type ModelTurn = Static<typeof ModelTurn>;

export type Message =
  /** `system`: from the operator of the tools; providers without such messages receive it as the user's */
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ModelCall[];
      readonly native?: ModelTurn['native'];
      readonly written?: string;
    }
  | {
      readonly role: 'tool';
      readonly call_id: string;
      readonly tool_id: string;
      readonly text: string;
      readonly standing: OutcomeStatus;
      readonly is_error: boolean;
      readonly name?: string;
      readonly show?: ModelCall['show'];
      readonly outcome?: ToolOutcome;
    };

/** The outcome of a call, for dialects that render it themselves. */
export const ToolOutcome = Type.Object(
  {
    result: Type.Unknown(),
    error: Type.Union([
      Type.Object(
        { code: Type.String(), message: Type.String(), hint: Type.Optional(Type.Union([Type.String(), Type.Null()])) },
        closed,
      ),
      Type.Null(),
    ]),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);
export type ToolOutcome = Static<typeof ToolOutcome>;

/** The description of a tool for a model, with JSON Schema parameters. */
export interface ToolOffer {
  readonly tool_id: string;
  readonly description: string;
  readonly parameters: object;
}

/** The request to a model. */
export interface Conversation {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolOffer[];
}

/** A piece of a streamed reply, for observers. A call is sent once its arguments are complete. */
export type ModelDelta =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'call'; readonly call: ModelCall };

/** Produces the next turn of a conversation: a provider's API, or a recorded transcript. */
export abstract class Model {
  /** Its name for people and records: `[A-Za-z0-9._:/-]`, at most 128 characters. */
  abstract readonly name: string;

  /**
   * Streams one reply, and returns it as a whole.
   *
   * Implementations MUST throw the signal's reason when it aborts, MUST throw a `ModelError` when the provider fails,
   * and MUST NOT return a turn from a stream that ended before the provider marked it complete. They MUST NOT retry:
   * the loop retries, and reports it.
   */
  abstract reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void>;
}
