// SPDX-License-Identifier: Apache-2.0
//
// The fields of sessions and runs that this program reads. The schemas are open on purpose: the program ignores fields
// that a newer API adds.
import { parseMessage } from '@writ/contract';
import { Type, type Static } from 'typebox';

const text = Type.String();
const orNull = Type.Union([text, Type.Null()]);
const count = Type.Integer({ minimum: 0 });

export const ModelRow = Type.Object({ name: text, provider: text, model: text });
export const ModelRows = Type.Object({ items: Type.Array(ModelRow) });
export const ChatSession = Type.Object({
  session_id: text,
  model: text,
  dialect: text,
  workspace_id: text,
  capability_token_id: text,
});
export type ChatSession = Static<typeof ChatSession>;

export const ChatRun = Type.Object({
  run_id: text,
  session_id: text,
  state: Type.Enum(['queued', 'running', 'waiting', 'ended']),
  stopped: orNull,
  waits_for: Type.Array(text),
  error: Type.Union([Type.Object({ fault: text, message: text }), Type.Null()]),
  rounds: count,
  input_tokens: count,
  output_tokens: count,
  cost: Type.Union([count, Type.Null()]),
});
export type ChatRun = Static<typeof ChatRun>;

const Texts = Type.Optional(Type.Array(text));
const WrittenCall = Type.Object({
  id: text,
  tool_id: text,
  args: Type.Unknown(),
  problem: Type.Optional(text),
  show: Type.Optional(Type.Object({ warnings: Texts })),
});
export type WrittenCall = Static<typeof WrittenCall>;
const Held = Type.Object({
  operation_id: text,
  waits_for: Type.Enum(['approval', 'value', 'run']),
  text,
  run_id: Type.Optional(text),
});
export type HeldCall = Static<typeof Held>;
/** A reply: `written` is the model's own text where its dialect writes calls in it. */
const Reply = Type.Object({
  text,
  calls: Type.Array(WrittenCall),
  written: Type.Optional(text),
  problems: Texts,
  notes: Texts,
});
export type Reply = Static<typeof Reply>;
const position = { round: count, index: count };

/** Fields of durable events. */
const durable = { seq: Type.Optional(count), at: Type.Optional(count) };

const EVENTS = {
  ready: Type.Object({ state: text }),
  text: Type.Object({ round: count, text }),
  asked: Type.Object({ round: count, call: WrittenCall }),
  started: Type.Object({ ...position, operation_id: text, tool_id: text }),
  retry: Type.Object({ round: count, failures: count, fault: text }),
  replied: Type.Object({ ...durable, turn: Reply }),
  held: Type.Object({ ...durable, ...position, held: Held }),
  answered: Type.Object({
    ...durable,
    ...position,
    answer: Type.Object({ text, standing: text, is_error: Type.Boolean(), operation_id: Type.Optional(text) }),
  }),
  resumed: Type.Object({ ...durable }),
  explained: Type.Object({ ...durable, turn: Type.Object({ text }) }),
  compacted: Type.Object({ ...durable }),
  model_failed: Type.Object({ ...durable, fault: text, message: text }),
  cancelled: Type.Object({ ...durable }),
  ended: Type.Object({ ...durable, stopped: text }),
} as const;
type EventKind = keyof typeof EVENTS;

/** One event of a run, by its kind. */
export type RunEvent = { [K in EventKind]: { readonly kind: K } & Static<(typeof EVENTS)[K]> }[EventKind];

/**
 * Parses an event by its name; null for a kind that this program doesn't know. Throws Fault for an event that doesn't
 * fit its kind's schema.
 */
export function parseRunEvent(name: string, data: string): RunEvent | null {
  if (!Object.hasOwn(EVENTS, name)) return null;
  const kind = name as EventKind;
  return { ...parseMessage(EVENTS[kind], JSON.parse(data)), kind } as RunEvent;
}
