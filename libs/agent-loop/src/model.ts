// SPDX-License-Identifier: Apache-2.0
import type { OutcomeStatus } from '@writ/dialects';
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

/** A call that a model asks for. `id` is the model's own and names the call in the conversation only. */
export const ModelCall = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    tool_id: Type.String(),
    args: Type.Record(Type.String(), Type.Unknown()),
    problem: Type.Optional(
      Type.String({
        description:
          "why it can't be run, in words for the model: its arguments are no JSON object, say. It is answered with that and never proposed",
      }),
    ),
    // Of dialects that are written in text:
    name: Type.Optional(
      Type.String({ description: "as the model wrote it, where that is another word than the tool's" }),
    ),
    mode: Type.Optional(
      Type.Enum(['stage', 'apply'], {
        description: 'stage: shown and kept as a change; apply: the staged change that `args.token` names',
      }),
    ),
    show: Type.Optional(
      Type.Object(
        { chars_max: Type.Optional(Type.Integer({ minimum: 1 })), legacy: Type.Optional(Type.Literal(true)) },
        { ...closed, description: 'what its answer is to say besides the result' },
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
 * the provider held the rest back. `problems`: what can't be read in a dialect's envelope, in words for the model.
 */
export const ModelTurn = Type.Object(
  {
    text: Type.String(),
    calls: Type.Array(ModelCall),
    stop: Type.Union([Type.Literal('end'), Type.Literal('tool_use'), Type.Literal('length'), Type.Literal('refusal')]),
    problems: Type.Optional(Type.Array(Type.String())),
    notes: Type.Optional(Type.Array(Type.String(), { description: 'what of it was not read, though all else was' })),
    written: Type.Optional(
      Type.String({
        description: 'the reply as it was written, where the dialect is text: `text` is without its calls',
      }),
    ),
    usage: Type.Optional(ModelUsage),
    native: Type.Optional(
      Type.Object(
        { provider: Type.String(), content: Type.Unknown() },
        {
          ...closed,
          description:
            'the reply as its provider wrote it, which it wants back unchanged (signed thoughts, say); another provider is told text and calls',
        },
      ),
    ),
  },
  closed,
);
export type ModelTurn = Static<typeof ModelTurn>;

export type Message =
  /** `system`: of whoever runs the tools; providers that have no such message are told it as the user's */
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

/** What became of a call, for dialects that render it themselves. */
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

/** What a model is told of a tool: JSON Schema parameters. */
export interface ToolOffer {
  readonly tool_id: string;
  readonly description: string;
  readonly parameters: object;
}

/** What a model is asked with. */
export interface Conversation {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolOffer[];
}

/** A piece of a reply as it comes: for people who watch. A call is told once its arguments are whole. */
export type ModelDelta =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'call'; readonly call: ModelCall };

/** Whatever produces the next turn of a conversation: a provider's API, or a recorded transcript. */
export abstract class Model {
  /** How people and records name it: `[A-Za-z0-9._:/-]`, at most 128 characters. */
  abstract readonly name: string;

  /**
   * Streams one reply, and returns the whole of it.
   *
   * Implementations MUST throw the signal's reason when it aborts, MUST throw a `ModelError` when the provider fails,
   * and MUST NOT return a turn from a stream that ended before the provider said that the reply was whole. They MUST
   * NOT retry: the loop does, and says so.
   */
  abstract reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void>;
}
