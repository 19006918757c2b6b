// SPDX-License-Identifier: Apache-2.0
//
// Readers of what a server asks of its client, by the capability that it takes. Attacker-controlled. INVARIANT (a known
// form): a client gets the form that the revision 2026-07-28 gives the question, so no client has to guess.
import type { McpAsk } from '@writ/contract';
import { contentPart } from './content-part.ts';
import { amount, flag, listOf, malformed, mapOf, oneOf, record, text, type Read } from './read-reply.ts';

type Json = Readonly<Record<string, unknown>>;

/** Items of a list. A question is shorter than this many bytes. */
const ITEMS_MAX = 64 * 1024;
/** Levels of what has no form of its own: as many as are kept of a whole question. */
const DEPTH_MAX = 32;
/** An address as every reader of addresses reads it: with a host and nothing before it, and in visible ASCII. */
const PAGE = /^https?:\/\/[^/?#@\\]+(?:[/?#][^\\]*)?$/iu;
const VISIBLE = /^[\u0021-\u007e]+$/u;

const list = <T>(read: Read<T>): Read<readonly T[]> => listOf(read, ITEMS_MAX);
const typed = record({ type: text });
const NAMES = { title: text, description: text };
const options = list(text);
const titled = list(record({ const: text, title: text }));

/** The choices of a field of which several can be taken. */
const choices: Read<unknown> = (value, place) => {
  const isTitled = typeof value === 'object' && value !== null && Object.hasOwn(value, 'anyOf');
  return isTitled
    ? record({ anyOf: titled })(value, place)
    : record({ type: oneOf('string'), enum: options })(value, place);
};

const number = record(
  { type: oneOf('number', 'integer') },
  { ...NAMES, minimum: amount, maximum: amount, default: amount },
);
const FIELDS: Readonly<Record<string, Read<Json>>> = {
  string: record(
    { type: text },
    {
      ...NAMES,
      minLength: amount,
      maxLength: amount,
      format: oneOf('email', 'uri', 'date', 'date-time'),
      enum: options,
      enumNames: options,
      oneOf: titled,
      default: text,
    },
  ),
  number,
  integer: number,
  boolean: record({ type: text }, { ...NAMES, default: flag }),
  array: record({ type: text, items: choices }, { ...NAMES, minItems: amount, maxItems: amount, default: options }),
};

/** A field of a form. The revision has no fields within fields. */
const field: Read<Json> = (value, place) => {
  const type = typed(value, place)['type'] as string;
  if (!Object.hasOwn(FIELDS, type)) throw malformed(`${place}/type`, 'is no type of a field');
  return (FIELDS[type] as Read<Json>)(value, place);
};

const form = record({ type: oneOf('object'), properties: mapOf(field) }, { $schema: text, required: options });

/** INVARIANT (the host is seen): nothing before the host can be taken for it, and no letter looks like another one. */
const page: Read<string> = (value, place) => {
  const url = text(value, place);
  if (!PAGE.test(url) || !VISIBLE.test(url) || !URL.canParse(url))
    throw malformed(place, 'is no address of a page: it must begin with http(s)://, name no user and be in ASCII');
  return url;
};

/** A part of what the model reads. Calls of tools take a capability that no client of ours declares. */
const sampledPart: Read<unknown> = (value, place) => {
  record({ type: oneOf('text', 'image', 'audio') })(value, place);
  return contentPart(value, place);
};
const sampled: Read<unknown> = (value, place) =>
  Array.isArray(value) ? list(sampledPart)(value, place) : sampledPart(value, place);

/** The official client takes no other number for a limit of tokens. */
const whole: Read<number> = (value, place) => {
  if (!Number.isSafeInteger(value)) throw malformed(place, 'is no whole number');
  return value as number;
};

const priority: Read<number> = (value, place) => {
  const read = amount(value, place);
  if (read < 0 || read > 1) throw malformed(place, 'is not between 0 and 1');
  return read;
};
const preferences = record(
  {},
  {
    hints: list(record({}, { name: text })),
    costPriority: priority,
    speedPriority: priority,
    intelligencePriority: priority,
  },
);

/** Anything, which can be written as JSON: a value with levels without end can't. */
const anything: Read<unknown> = (value, place) => {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEPTH_MAX) throw malformed(place, `has more than ${DEPTH_MAX} levels`);
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : []));
  }
  return value;
};

/** The parameters of a question that takes the capability. @throws McpError `malformed` or `too_large` */
export const QUESTION_PARAMS: Readonly<Record<McpAsk, Read<Json>>> = {
  elicitation: record({ message: text, requestedSchema: form }, { mode: oneOf('form') }),
  elicitation_url: record({ mode: oneOf('url'), message: text, url: page }, { elicitationId: text }),
  sampling: record(
    { messages: list(record({ role: oneOf('user', 'assistant'), content: sampled })), maxTokens: whole },
    {
      modelPreferences: preferences,
      systemPrompt: text,
      temperature: amount,
      stopSequences: options,
      // The maker of a model defines what is in it.
      metadata: mapOf(anything),
    },
  ),
  roots: record({}),
};
