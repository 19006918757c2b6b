// SPDX-License-Identifier: Apache-2.0
/**
 * Takes values and their encodings out of bytes.
 *
 * INVARIANT (any chunking): what comes out is a function of all that went in, however it was cut.
 * INVARIANT (bounded): no more is held back than may still become the longest shape, with what may stand between its bytes.
 */
import { setImmediate as pause } from 'node:timers/promises';
import { shapesOf, type Shape } from './shapes.ts';

/** Bytes between two bytes of a shape. */
const BETWEEN_MAX = 4;
/** Fewer bytes of a value at a cut tell next to nothing. */
const CUT_BYTES_MIN = 4;
/** After so many bytes others get their turn. */
const TURN_BYTES = 1024 * 1024;
const [NO, MORE] = [-1, -2];

/** What stands in the place of a value. Of characters that URLs, JSON and shells take as they are. */
export const instead = (name: string): string => `***${name}***`;

interface Found { readonly end: number; readonly name: string }

type Named = readonly [name: string, value: string];

/** Values to look for, in all their shapes. */
export class Values {
  readonly #named: readonly Named[];
  readonly #byFirst: readonly (readonly Shape[])[];
  readonly any: boolean;

  constructor(values: Readonly<Record<string, string>>, before: readonly Named[] = []) {
    this.#named = [...before, ...Object.entries(values)];
    const byFirst: Shape[][] = Array.from({ length: 256 }, () => []);
    for (const [name, value] of this.#named) for (const shape of value === '' ? [] : shapesOf(name, value)) byFirst[shape.bytes.readUInt8(0)]?.push(shape);
    this.#byFirst = byFirst;
    this.any = byFirst.some(({ length }) => length > 0);
  }

  /** These and more; the same object where none is new. A name may come to stand for another value: the one before stays looked for. */
  and(values: Readonly<Record<string, string>>): Values {
    const fresh = Object.entries(values).filter(([name, value]) => !this.#named.some(([other, known]) => other === name && known === value));
    return fresh.length === 0 ? this : new Values(Object.fromEntries(fresh), this.#named);
  }

  /** The longest shape that begins at `at`; `null` where none does, `more` where that hangs on bytes that aren't there. `cut`: none will come, and what began is taken for whole. */
  at(bytes: Uint8Array, at: number, last: 'open' | 'end' | 'cut'): Found | 'more' | null {
    let found: Found | null = null;
    for (const shape of this.#byFirst[bytes[at] ?? 0] ?? []) {
      const end = match(bytes, at, shape);
      if (end === NO) continue;
      if (end >= 0) {
        if (found === null || end > found.end) found = { end, name: shape.name };
      } else if (last === 'open') return 'more';
      else if (last === 'cut' && bytes.length - at >= CUT_BYTES_MIN) return { end: bytes.length, name: shape.name };
    }
    return found;
  }

  /** The name of a value that stands in the bytes, or null. Gives way to others in long ones. */
  async nameIn(bytes: Uint8Array): Promise<string | null> {
    for (let at = 0; at < bytes.length; at++) {
      if (at > 0 && at % TURN_BYTES === 0) await pause();
      if (this.#byFirst[bytes[at] ?? 0]?.length === 0) continue;
      const found = this.at(bytes, at, 'end');
      if (found !== null && found !== 'more') return found.name;
    }
    return null;
  }

  /** Where values stand in the whole of something, which may have been `cut`. They may overlap. */
  *ranges(bytes: Uint8Array, cut: boolean): Generator<{ readonly start: number; readonly end: number; readonly name: string }> {
    for (let start = 0; start < bytes.length; start++) {
      const found = this.at(bytes, start, cut ? 'cut' : 'end');
      if (found !== null && found !== 'more') yield { start, ...found };
    }
  }

  /** @param cut whether the bytes were cut off, maybe within a value */
  redactBytes(bytes: Uint8Array, cut = false): Buffer {
    const redactor = new Redactor(this);
    return Buffer.concat([redactor.push(bytes), redactor.end(cut)]);
  }

  /** @param cut whether the text was cut off, maybe within a value */
  redactText(text: string, cut = false): string {
    return this.any ? this.redactBytes(Buffer.from(text, 'utf8'), cut).toString('utf8') : text;
  }

  /** JSON with every text and every name of a member redacted. */
  redactJson(value: unknown): unknown {
    if (typeof value === 'string') return this.redactText(value);
    if (Array.isArray(value)) return value.map((member) => this.redactJson(member));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [this.redactText(name), this.redactJson(member)]));
  }
}

function match(bytes: Uint8Array, from: number, { bytes: wanted, between }: Shape): number {
  let at = from;
  for (let k = 0; k < wanted.length; k++) {
    for (let skipped = 0; between !== null && k > 0 && skipped < BETWEEN_MAX && at < bytes.length && bytes[at] !== wanted[k] && between[bytes[at] ?? 0] === 1; skipped++) at += 1;
    if (at >= bytes.length) return MORE;
    if (bytes[at] !== wanted[k]) return NO;
    at += 1;
  }
  return at;
}

/** Redacts a stream. Every byte that belongs to any shape goes, also where shapes overlap. */
export class Redactor {
  #values: Values;
  #held: Buffer = Buffer.alloc(0);
  /** bytes at the beginning of what is held that belong to a shape that is told of already */
  #covered = 0;
  /** bytes at the beginning of what is held that were told in a pause */
  #told = 0;

  constructor(values: Values) {
    this.#values = values;
  }

  /** Takes bytes and gives what is sure by now. */
  push(bytes: Uint8Array): Buffer {
    return this.#pass(bytes, 'open');
  }

  /** Looks for other values from here on. */
  learn(values: Values): void {
    this.#values = values;
  }

  /**
   * What is held back while nothing comes, where that is so little that it tells next to nothing. If it turns out to begin a value, what follows of that goes all
   * the same.
   */
  pause(): Buffer {
    const [held, covered] = [this.#held, this.#covered];
    if (held.length - covered >= CUT_BYTES_MIN) return Buffer.alloc(0);
    const shown = this.#pass(new Uint8Array(), 'end');
    [this.#held, this.#covered, this.#told] = [held, covered, held.length];
    return shown;
  }

  /** The rest. `cut`: the stream was cut off, maybe within a value: what may be the beginning of one goes too. */
  end(cut = false): Buffer {
    return this.#pass(new Uint8Array(), cut ? 'cut' : 'end');
  }

  #pass(bytes: Uint8Array, last: 'open' | 'end' | 'cut'): Buffer {
    const all = this.#held.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#held, bytes]);
    const out: Buffer[] = [];
    const told = this.#told;
    let [at, until] = [0, this.#covered];
    let plain = Math.max(until, told);
    for (; at < all.length; at++) {
      const found = this.#values.at(all, at, last);
      if (found === 'more') break;
      if (found === null || found.end <= until) continue;
      if (at >= until && found.end > told) out.push(all.subarray(plain, at), Buffer.from(instead(found.name)));
      until = found.end;
      plain = Math.max(plain, until);
    }
    out.push(all.subarray(Math.min(plain, at), at));
    this.#held = all.subarray(at);
    this.#covered = Math.max(0, until - at);
    this.#told = Math.max(0, told - at);
    return Buffer.concat(out);
  }
}
