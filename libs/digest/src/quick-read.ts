// SPDX-License-Identifier: Apache-2.0
//
// JSON.parse, for texts without anything that it accepts and I-JSON forbids. INVARIANT (never wrong): if this reader
// returns a value, the strict reader returns the same value.
import { endOfString, hasEscapedName } from './escaped-names.ts';
import { isExactNumber, stringFault, type JsonValue } from './i-json.ts';

const [QUOTE, COLON] = [0x22, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The value; undefined if the strict reader must parse the text and locate its error. */
export function readQuickly(text: string, depthMax: number): JsonValue | undefined {
  const members = countMembers(text, depthMax);
  if (members === undefined || !text.isWellFormed() || hasEscapedName(text)) return undefined;
  const value = tryParse(text);
  if (value === undefined) return undefined;
  const root = { value };
  // For duplicate names JSON.parse keeps the last member: then there are fewer members than names in the text.
  return new MemberCounter(text.includes('\\u')).of(root) === members + 1 ? root.value : undefined;
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The number of object members in the text, if it is JSON at all; undefined if it nests deeper. */
function countMembers(text: string, depthMax: number): number | undefined {
  let [members, depth] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === COLON) members += 1;
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) depth += 1;
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) depth -= 1;
    if (depth > depthMax) return undefined;
  }
  return members;
}

/** Counts members and detects forbidden values; it replaces `-0` by 0, as RFC 8785 writes it. */
class MemberCounter {
  readonly #hasEscapes: boolean;
  #isFaulty = false;

  /** @param hasEscapes whether a string may have characters that need an escape: an unpaired surrogate, or NUL */
  constructor(hasEscapes: boolean) {
    this.#hasEscapes = hasEscapes;
  }

  /** The number of members in a value of JSON.parse, itself included; NaN if I-JSON forbids one of them. */
  of(members: Record<string, JsonValue>): number {
    const count = this.#members(members);
    return this.#isFaulty ? Number.NaN : count;
  }

  #members(members: Record<string, JsonValue>): number {
    let count = 0;
    for (const name in members) {
      if (this.#hasEscapes) this.#string(name);
      const value = members[name] as JsonValue;
      if (value === 0) members[name] = 0;
      count += 1 + this.#inside(value);
    }
    return count;
  }

  #items(items: JsonValue[]): number {
    let count = 0;
    for (let at = 0; at < items.length; at += 1) {
      const value = items[at] as JsonValue;
      if (value === 0) items[at] = 0;
      count += this.#inside(value);
    }
    return count;
  }

  #inside(value: JsonValue): number {
    if (typeof value === 'number') this.#isFaulty ||= !isExactNumber(value);
    else if (typeof value === 'string') {
      if (this.#hasEscapes) this.#string(value);
    } else if (Array.isArray(value)) return this.#items(value as JsonValue[]);
    else if (typeof value === 'object' && value !== null) return this.#members(value as Record<string, JsonValue>);
    return 0;
  }

  #string(text: string): void {
    this.#isFaulty ||= stringFault(text) !== null;
  }
}
