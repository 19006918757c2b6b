// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, parseMessage } from '@writ/contract';
import { JsonError, parseIJson, type JsonValue } from '@writ/digest';
import type { TSchema } from 'typebox';
import type { RouteRow } from './route.ts';

/** The body of a request, attacker-controlled. */
export interface Body {
  readonly bytes: Uint8Array;
  /** the route's name, whose schema the body must match */
  readonly route: string;
}

/** Returns a reader of bodies by the schemas of these routes. The reader throws the faults of `readBody`. */
export function bodyReader(routes: readonly RouteRow[]): (body: Body) => unknown {
  const schemas = new Map(routes.flatMap(({ id, body }) => (body === undefined ? [] : [[id, body] as const])));
  return ({ bytes, route }) => {
    const schema = schemas.get(route);
    if (schema === undefined) throw new Error(`the route \`${route}\` takes no body`);
    return readBody(bytes, schema);
  };
}

/**
 * Reads the body of a request as strict I-JSON that matches its route's schema. The time is linear in its length. The
 * result has a bounded number of values and names, so that the event loop can receive it in one piece.
 *
 * @throws Fault `request.malformed` with the pointer to the error, `request.too_large` for too many values or names
 */
export function readBody(bytes: Uint8Array, schema: TSchema): unknown {
  const value = readJson({ bytes, depthMax: LIMITS.argsDepth.max });
  return parseMessage(schema, value);
}

/** A JSON text, attacker-controlled. */
export interface JsonText {
  readonly bytes: Uint8Array;
  readonly depthMax: number;
}

/** Reads strict I-JSON with a bounded number of values and names. @throws Fault as `readBody` */
export function readJson({ bytes, depthMax }: JsonText): JsonValue {
  // Before it is parsed: half a million empty lists are a megabyte on the wire and a hundred times that in memory.
  verifyCount('bodyValues', 'values', valuesAtMost(bytes, { enough: LIMITS.bodyValues.max, depthMax }));
  const value = parsed(bytes, depthMax);
  const names = new Set<string>();
  gatherNames(value, names);
  verifyCount('bodyNames', 'different names', names.size);
  return value;
}

function parsed(bytes: Uint8Array, depthMax: number): JsonValue {
  try {
    return parseIJson(bytes, { depthMax });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = error.pointer === '' ? {} : { pointer: shortPointer(error.pointer) };
    throw new Fault('request.malformed', error.message, { cause: error, ...place });
  }
}

function verifyCount(limit: 'bodyValues' | 'bodyNames', what: string, count: number): void {
  const { max, fault } = LIMITS[limit];
  if (count <= max) return;
  throw new Fault(fault, `it holds more than ${max} ${what}; larger contents are uploaded as files of a workspace`);
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * An upper bound on the values in a JSON text: one more than its commas and its beginnings of lists and objects.
 * Counting stops when the count exceeds `enough`, or where the text nests too deeply, as the parser does. For a text
 * that is not JSON the result has no meaning.
 */
export function valuesAtMost(bytes: Uint8Array, { enough, depthMax }: { enough: number; depthMax: number }): number {
  let [count, depth] = [1, 0];
  for (let at = 0; at < bytes.length && count <= enough && depth <= depthMax; at += 1) {
    const unit = bytes[at];
    if (unit === QUOTE) at = endOfString(bytes, at);
    else if (unit === COMMA) count += 1;
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) depth -= 1;
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) {
      count += 1;
      depth += 1;
    }
  }
  return count;
}

/** The position of the quote that closes a string; the end of the text where it is unclosed. */
function endOfString(bytes: Uint8Array, begins: number): number {
  for (let at = bytes.indexOf(QUOTE, begins + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = at;
    while (bytes[escapes - 1] === BACKSLASH) escapes -= 1;
    if ((at - escapes) % 2 === 0) return at;
  }
  return bytes.length;
}

/** Collects the names of all members, each once. The recursion is bounded, because the parser bounds the depth. */
function gatherNames(value: JsonValue, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) gatherNames(item, names);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    names.add(name);
    gatherNames(member as JsonValue, names);
  }
}

/** Longest pointer in an answer: its keys are the caller's and may be as long as the body. */
const POINTER_MAX = 256;
const shortPointer = (pointer: string): string =>
  pointer.length > POINTER_MAX ? `${pointer.slice(0, POINTER_MAX)}…` : pointer;
