// SPDX-License-Identifier: Apache-2.0
//
// JSON.parse, for texts of which nothing is true that it lets through and I-JSON forbids. INVARIANT (never wrong): a
// text that is answered here is one that the strict reader reads, to the same value.
import { endOfString, hasEscapedName } from './escaped-names.ts';
import { isExactNumber, stringFault, type JsonValue } from './i-json.ts';

const [QUOTE, COLON] = [0x22, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The value; undefined where the text must be read by who can say what is wrong with it, and where. */
export function readQuickly(text: string, depthMax: number): JsonValue | undefined {
  const members = membersNamed(text, depthMax);
  if (members === undefined || !text.isWellFormed() || hasEscapedName(text)) return undefined;
  const value = parsed(text);
  if (value === undefined) return undefined;
  const root = { value };
  // Of members of one name JSON.parse keeps the last: then there are fewer than the text names.
  return new Count(text.includes('\\u')).of(root) === members + 1 ? root.value : undefined;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** How many members of objects the text names, if it is JSON at all; undefined where it nests deeper. */
function membersNamed(text: string, depthMax: number): number | undefined {
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

/** Counts members, whatever is wrong with them; 0 is made of `-0`, as RFC 8785 writes it. */
class Count {
  readonly #hasEscapes: boolean;
  #isFaulty = false;

  /** @param hasEscapes whether a string may be what only an escape can write: an unpaired surrogate, or NUL */
  constructor(hasEscapes: boolean) {
    this.#hasEscapes = hasEscapes;
  }

  /** How many members there are in a value of JSON.parse, itself among them; NaN where one is none of I-JSON's. */
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
