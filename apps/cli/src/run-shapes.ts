// SPDX-License-Identifier: Apache-2.0
//
// What this program reads of sessions and runs. Open on purpose: what a newer API says besides is none of its business.
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

const WrittenCall = Type.Object({ id: text, tool_id: text, args: Type.Unknown() });
export type WrittenCall = Static<typeof WrittenCall>;
const Held = Type.Object({
  operation_id: text,
  waits_for: Type.Enum(['approval', 'value', 'run']),
  text,
  run_id: Type.Optional(text),
});
export type HeldCall = Static<typeof Held>;
const place = { round: count, index: count };

/** Of what is durable. */
const kept = { seq: Type.Optional(count), at: Type.Optional(count) };

const EVENTS = {
  ready: Type.Object({ state: text }),
  text: Type.Object({ round: count, text }),
  asked: Type.Object({ round: count, call: WrittenCall }),
  started: Type.Object({ ...place, operation_id: text, tool_id: text }),
  retry: Type.Object({ round: count, failures: count, fault: text }),
  replied: Type.Object({ ...kept, turn: Type.Object({ text, calls: Type.Array(WrittenCall) }) }),
  held: Type.Object({ ...kept, ...place, held: Held }),
  answered: Type.Object({
    ...kept,
    ...place,
    answer: Type.Object({ text, standing: text, is_error: Type.Boolean(), operation_id: Type.Optional(text) }),
  }),
  resumed: Type.Object({ ...kept }),
  explained: Type.Object({ ...kept, turn: Type.Object({ text }) }),
  compacted: Type.Object({ ...kept }),
  model_failed: Type.Object({ ...kept, fault: text, message: text }),
  cancelled: Type.Object({ ...kept }),
  ended: Type.Object({ ...kept, stopped: text }),
} as const;
type EventKind = keyof typeof EVENTS;

/** One event of a run, by its kind. */
export type RunEvent = { [K in EventKind]: { readonly kind: K } & Static<(typeof EVENTS)[K]> }[EventKind];

/**
 * The event of the name; null for a kind that this program doesn't know. Throws Fault for one that isn't as its kind
 * should be.
 */
export function parseRunEvent(name: string, data: string): RunEvent | null {
  if (!Object.hasOwn(EVENTS, name)) return null;
  const kind = name as EventKind;
  return { ...parseMessage(EVENTS[kind], JSON.parse(data)), kind } as RunEvent;
}
