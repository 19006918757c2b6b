// SPDX-License-Identifier: Apache-2.0
/**
 * Removes secret values and their encodings from bytes.
 *
 * INVARIANT (any chunking): the output depends only on the input bytes, not on how they were split. INVARIANT
 * (bounded): the redactor holds back only bytes that may still become the longest encoded form, with separators.
 * INVARIANT (linear): time grows with the bytes alone, whatever the bytes and the values are.
 */
import { Scan, SearchPatterns } from './scan.ts';
import { shapesOf } from './shapes.ts';
import type { Range } from './track.ts';

/** As many held-back bytes reveal next to nothing. */
const PAUSE_BYTES_MAX = 3;
/** Bytes that are scanned in about three milliseconds. */
export const SCANNED_BYTES = 64 * 1024;
/** Bytes that are scanned without a pause: one to two milliseconds with the slowest contents. */
const PIECE_BYTES = 16 * 1024;

/** Splits bytes into pieces, between which a scan can yield to other work. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** The marker that replaces a value. URLs, JSON and shells accept its characters unchanged. */
export const markerOf = (name: string): string => `***${name}***`;

/** A value with its name, as it is sent to a worker thread. */
export type NamedValue = readonly [name: string, value: string];

/** Secret values to search for, in all their encoded forms. */
export class SecretValues {
  /** all values in the order in which they came; one name may have had several */
  readonly named: readonly NamedValue[];
  readonly any: boolean;
  /** made on first use, which takes some time for long values */
  #patterns: SearchPatterns | undefined;

  constructor(values: Readonly<Record<string, string>> | readonly NamedValue[]) {
    this.named = isList(values) ? values : Object.entries(values);
    this.any = this.named.some(([, value]) => value !== '');
  }

  /**
   * These values and more; the same object where none is new. When a name gets another value, the previous value is
   * still searched for.
   */
  withMore(values: Readonly<Record<string, string>>): SecretValues {
    const fresh = Object.entries(values).filter(
      ([name, value]) => !this.named.some(([other, otherValue]) => other === name && otherValue === value),
    );
    return fresh.length === 0 ? this : new SecretValues([...this.named, ...fresh]);
  }

  /** Starts a scan of a stream whose first byte is at position `from`. Only for values that are not all empty. */
  scan(from = 0): Scan {
    this.#patterns ??= new SearchPatterns(
      this.named.filter(([, value]) => value !== '').map(([name, value]) => shapesOf(name, value)),
    );
    return new Scan(this.#patterns, from);
  }

  /** The name of a value that the bytes hold, or null. */
  nameIn(bytes: Uint8Array): string | null {
    if (!this.any) return null;
    const scan = this.scan();
    for (const piece of piecesOf(bytes)) {
      const [found] = scan.push(piece);
      if (found !== undefined) return found.name;
    }
    return scan.finish(false)[0]?.name ?? null;
  }

  /** The ranges of values in complete bytes, which may have been `cut`. Ranges may overlap. */
  ranges(bytes: Uint8Array, cut: boolean): readonly Range[] {
    const scan = this.scan();
    const found: Range[] = [];
    for (const piece of piecesOf(bytes)) found.push(...scan.push(piece));
    return [...found, ...scan.finish(cut)].sort(inOrder);
  }

  /** @param cut whether the bytes were cut off, perhaps within a value */
  redactBytes(bytes: Uint8Array, cut = false): Buffer {
    const redactor = new Redactor(this);
    const parts: Buffer[] = [];
    for (const piece of piecesOf(bytes)) parts.push(redactor.push(piece));
    return Buffer.concat([...parts, redactor.end(cut)]);
  }

  /** @param cut whether the text was cut off, perhaps within a value */
  redactText(text: string, cut = false): string {
    return this.any && text !== '' ? this.redactBytes(Buffer.from(text, 'utf8'), cut).toString('utf8') : text;
  }

  /** JSON with every string and every member name redacted. */
  redactJson(value: unknown): unknown {
    if (typeof value === 'string') return this.redactText(value);
    if (Array.isArray(value)) return value.map((member) => this.redactJson(member));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.redactText(name), this.redactJson(member)]),
    );
  }
}

const isList = (values: Readonly<Record<string, string>> | readonly NamedValue[]): values is readonly NamedValue[] =>
  Array.isArray(values);

/** Orders ranges by their start; of two with the same start the longer comes first and gives its name. */
const inOrder = (one: Range, other: Range): number =>
  one.start - other.start || other.size - one.size || (one.name < other.name ? -1 : 1);

/** Redacts a stream. It removes every byte that belongs to any encoded form, also where forms overlap. */
export class Redactor {
  #values: SecretValues;
  #scan: Scan;
  /** bytes that are not emitted yet; the first is at position `#from` */
  #pending: Buffer = Buffer.alloc(0);
  #from = 0;
  /** ranges found whose markers are not emitted yet */
  #ranges: Range[] = [];
  /** bytes before this position belong to a value whose marker is emitted */
  #covered = 0;
  /** bytes before this position were emitted in a pause */
  #emittedTo = 0;

  constructor(values: SecretValues) {
    this.#values = values;
    this.#scan = values.scan();
  }

  /** Adds bytes, and returns the bytes that are certain by now. */
  push(bytes: Uint8Array): Buffer {
    this.#pending = this.#pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#pending, bytes]);
    this.#ranges.push(...this.#scan.push(bytes));
    return this.#emit(this.#scan.pending());
  }

  /** Replaces the values to search for from here on. */
  searchFor(values: SecretValues): void {
    if (values === this.#values) return;
    this.#values = values;
    this.#scan = values.scan(this.#from);
    this.#ranges.push(...this.#scan.push(this.#pending));
  }

  /**
   * Returns the held-back bytes while the stream pauses, if they are so few that they reveal next to nothing. If they
   * turn out to begin a value, the rest of that value is still removed.
   */
  pause(): Buffer {
    const end = this.#from + this.#pending.length;
    if (end - Math.max(this.#covered, this.#from) > PAUSE_BYTES_MAX) return Buffer.alloc(0);
    const shown = Buffer.concat(this.#redacted(end).parts);
    this.#emittedTo = end;
    return shown;
  }

  /**
   * Returns the rest. `cut`: the stream was cut off, perhaps within a value; a possible beginning of one is removed
   * too.
   */
  end(cut = false): Buffer {
    this.#ranges.push(...this.#scan.finish(cut));
    return this.#emit(this.#from + this.#pending.length);
  }

  /** Emits all bytes before `until`: no undecided value begins there. */
  #emit(until: number): Buffer {
    const { parts, covered } = this.#redacted(until);
    const emitted = Buffer.concat(parts);
    this.#covered = covered;
    this.#ranges = this.#ranges.filter(({ start }) => start >= until);
    // A copy: a part of a long chunk would keep the whole chunk in memory.
    this.#pending = Buffer.from(this.#pending.subarray(until - this.#from));
    this.#from = until;
    return emitted;
  }

  #redacted(until: number): { readonly parts: Buffer[]; readonly covered: number } {
    const bytes = (from: number, to: number): Buffer =>
      this.#pending.subarray(Math.max(from, this.#from) - this.#from, Math.max(to, this.#from) - this.#from);
    const parts: Buffer[] = [];
    let covered = this.#covered;
    let plain = Math.max(covered, this.#emittedTo);
    for (const { start, end, name } of this.#ranges.toSorted(inOrder)) {
      if (start >= until || end <= covered) continue;
      if (start >= covered && end > this.#emittedTo) {
        if (start > plain) parts.push(bytes(plain, start));
        parts.push(Buffer.from(markerOf(name)));
      }
      covered = end;
      plain = Math.max(plain, end);
    }
    if (until > plain) parts.push(bytes(plain, until));
    return { parts, covered };
  }
}
