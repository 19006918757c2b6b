// SPDX-License-Identifier: Apache-2.0
//
// The only entry of JSON from outside. INVARIANT (one meaning): every JSON reader gives an accepted text the same
// meaning, so a tool in another language runs exactly what policy judged. INVARIANT (linear): time and memory grow with
// the text's length, and the stack only with depthMax.
import { visit } from 'jsonc-parser';
import { utf8Bytes } from './bytes.ts';
import { hasEscapedName } from './escaped-names.ts';
import { DEPTH_CEILING, isExactNumber, requireDepth, stringFault } from './i-json.ts';
import type { JsonValue } from './i-json.ts';
import { JsonError, pointerToken } from './json-error.ts';
import type { JsonReason } from './json-error.ts';
import { readQuickly } from './quick-read.ts';

export interface ParseLimits {
  /** The deepest accepted nesting: 0 for a bare scalar, 1 for `[]`, at most 512. */
  readonly depthMax: number;
  /** The longest accepted text, in UTF-8 bytes. */
  readonly bytesMax?: number;
}

/**
 * Parses attacker-controlled text as strict I-JSON (RFC 8259 and RFC 7493). It refuses a byte order mark, comments,
 * trailing commas, a duplicate key in an object (by its decoded name), numbers that a double can't hold exactly as an
 * integer, unpaired surrogates and NUL. Objects are ordinary ones; a key `__proto__` becomes an own member and touches
 * no prototype. `-0` is read as `0`, as RFC 8785 writes it.
 *
 * @throws JsonError and nothing else, for any text.
 */
export function parseIJson(input: string | Uint8Array, limits: ParseLimits): JsonValue {
  requireDepth(limits.depthMax);
  if (limits.bytesMax !== undefined && isLonger(input, limits.bytesMax)) throw new JsonError('too_large', '');
  const text = typeof input === 'string' ? input : decode(input);
  return readQuickly(text, limits.depthMax) ?? readStrictly(text, limits.depthMax);
}

/** Reads it event by event, several times slower, and locates errors. @throws JsonError */
export function readStrictly(text: string, depthMax: number): JsonValue {
  const reader = new Reader(depthMax, true);
  visit(text, reader.visitor, { disallowComments: true });
  return reader.root;
}

/**
 * Parses JSON of our own processes, and other text that came through the API: like `JSON.parse`, without its fault with
 * names (see `escaped-names.ts`). Nests at most 512 deep.
 * @throws an Error if it is no JSON
 */
export function parseJson(text: string): unknown {
  if (!hasEscapedName(text)) return JSON.parse(text) as unknown;
  const reader = new Reader(DEPTH_CEILING, false);
  visit(text, reader.visitor, { disallowComments: true });
  return reader.root;
}

/**
 * Answers whether it has more bytes in UTF-8. A text has one to three bytes for each of its units, so one that is far
 * from the limit isn't encoded.
 */
export function isLonger(input: string | Uint8Array, bytesMax: number): boolean {
  return (
    input.length > bytesMax ||
    (typeof input === 'string' && input.length * 3 > bytesMax && utf8Bytes(input).length > bytesMax)
  );
}

/** ignoreBOM keeps a byte order mark in the text, where it is a syntax error, instead of dropping it. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new JsonError('utf8', '');
  }
}

type Members = Record<string, JsonValue>;
type Frame = { readonly items: JsonValue[] } | { readonly members: Members; key: string | null };

/** Builds the value from the visitor's events; stops at the first fault by throwing through the visitor. */
class Reader {
  readonly visitor = {
    onObjectBegin: (_offset: number, _length: number, line: number, column: number) => {
      this.#open({ members: {}, key: null }, line, column);
    },
    onObjectProperty: (key: string, _offset: number, _length: number, line: number, column: number) => {
      this.#property(key, line, column);
    },
    onObjectEnd: () => {
      this.#close();
    },
    onArrayBegin: (_offset: number, _length: number, line: number, column: number) => {
      this.#open({ items: [] }, line, column);
    },
    onArrayEnd: () => {
      this.#close();
    },
    onLiteralValue: (value: JsonValue, _offset: number, _length: number, line: number, column: number) => {
      this.#literal(value, line, column);
    },
    onError: (_code: number, _offset: number, _length: number, line: number, column: number) => {
      throw this.#error('syntax', line, column);
    },
  };

  /** Set once `visit` has returned without an error: it reports an empty text as an error. */
  root: JsonValue = null;
  readonly #frames: Frame[] = [];
  readonly #depthMax: number;
  readonly #isStrict: boolean;

  /** @param isStrict whether it also refuses what I-JSON forbids, and not only invalid JSON */
  constructor(depthMax: number, isStrict: boolean) {
    this.#depthMax = depthMax;
    this.#isStrict = isStrict;
  }

  #open(frame: Frame, line: number, column: number): void {
    this.#put('items' in frame ? frame.items : frame.members);
    if (this.#frames.length === this.#depthMax) throw this.#error('too_deep', line, column);
    this.#frames.push(frame);
  }

  #close(): void {
    this.#frames.pop();
  }

  #property(key: string, line: number, column: number): void {
    const frame = this.#frames.at(-1) as Extract<Frame, { members: Members }>;
    frame.key = key;
    if (!this.#isStrict) return;
    const fault = stringFault(key) ?? (Object.hasOwn(frame.members, key) ? 'duplicate_key' : null);
    if (fault !== null) throw this.#error(fault, line, column);
  }

  #literal(value: JsonValue, line: number, column: number): void {
    const fault = this.#isStrict ? literalFault(value) : null;
    this.#put(value === 0 && this.#isStrict ? 0 : value);
    if (fault !== null) throw this.#error(fault, line, column);
  }

  #put(value: JsonValue): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) this.root = value;
    else if ('items' in frame) frame.items.push(value);
    else define(frame.members, frame.key as string, value); // a member's value follows its name
  }

  #error(reason: JsonReason, line: number, column: number): JsonError {
    return new JsonError(reason, this.#frames.map(lastToken).join(''), line + 1, column + 1);
  }
}

/** The token of the item or member that began last; none in an empty container. */
function lastToken(frame: Frame): string {
  if ('members' in frame) return frame.key === null ? '' : pointerToken(frame.key);
  return frame.items.length === 0 ? '' : pointerToken(frame.items.length - 1);
}

function literalFault(value: JsonValue): JsonReason | null {
  if (typeof value === 'string') return stringFault(value);
  return typeof value === 'number' && !isExactNumber(value) ? 'number_range' : null;
}

/** Assignment to `__proto__` would run Object.prototype's setter; only that key pays for a definition. */
function define(members: Members, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    members[key] = value;
  }
}
