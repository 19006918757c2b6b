// SPDX-License-Identifier: Apache-2.0
/**
 * Takes values and their encodings out of bytes.
 *
 * INVARIANT (any chunking): what comes out is a function of all that went in, however it was cut. INVARIANT (bounded):
 * no more is held back than may still become the longest shape, with what may stand between its bytes. INVARIANT
 * (linear): time grows with the bytes alone, whatever they and the values are.
 */
import { Scan, Searched } from './scan.ts';
import { shapesOf } from './shapes.ts';
import type { Range } from './track.ts';

/** Fewer bytes held back tell next to nothing. */
const PAUSE_BYTES_MAX = 3;
/** What is scanned in some three milliseconds. */
export const SCANNED_BYTES = 64 * 1024;
/** What is scanned at once: with the slowest contents a millisecond or two. */
const PIECE_BYTES = 16 * 1024;

/** Bytes in pieces, between which a scan can give way to others. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** What stands in the place of a value. Of characters that URLs, JSON and shells take as they are. */
export const instead = (name: string): string => `***${name}***`;

/** A value by its name, as it goes to a thread. */
export type NamedValue = readonly [name: string, value: string];

/** Values to look for, in all their shapes. */
export class Values {
  /** all of them, in the order in which they came; a name may have stood for several */
  readonly named: readonly NamedValue[];
  readonly any: boolean;
  /** made when it is first needed: of long values that takes some time */
  #searched: Searched | undefined;

  constructor(values: Readonly<Record<string, string>> | readonly NamedValue[]) {
    this.named = isList(values) ? values : Object.entries(values);
    this.any = this.named.some(([, value]) => value !== '');
  }

  /**
   * These and more; the same object where none is new. A name may come to stand for another value: the one before stays
   * looked for.
   */
  and(values: Readonly<Record<string, string>>): Values {
    const fresh = Object.entries(values).filter(
      ([name, value]) => !this.named.some(([other, known]) => other === name && known === value),
    );
    return fresh.length === 0 ? this : new Values([...this.named, ...fresh]);
  }

  /** A scan of a stream whose first byte stands at `from`, for values of which there are any. */
  scan(from = 0): Scan {
    this.#searched ??= new Searched(
      this.named.filter(([, value]) => value !== '').map(([name, value]) => shapesOf(name, value)),
    );
    return new Scan(this.#searched, from);
  }

  /** The name of a value that stands in the bytes, or null. */
  nameIn(bytes: Uint8Array): string | null {
    if (!this.any) return null;
    const scan = this.scan();
    for (const piece of piecesOf(bytes)) {
      const [found] = scan.push(piece);
      if (found !== undefined) return found.name;
    }
    return scan.finish(false)[0]?.name ?? null;
  }

  /** Where values stand in the whole of something, which may have been `cut`. They may overlap. */
  ranges(bytes: Uint8Array, cut: boolean): readonly Range[] {
    const scan = this.scan();
    const found: Range[] = [];
    for (const piece of piecesOf(bytes)) found.push(...scan.push(piece));
    return [...found, ...scan.finish(cut)].sort(inOrder);
  }

  /** @param cut whether the bytes were cut off, maybe within a value */
  redactBytes(bytes: Uint8Array, cut = false): Buffer {
    const redactor = new Redactor(this);
    const parts: Buffer[] = [];
    for (const piece of piecesOf(bytes)) parts.push(redactor.push(piece));
    return Buffer.concat([...parts, redactor.end(cut)]);
  }

  /** @param cut whether the text was cut off, maybe within a value */
  redactText(text: string, cut = false): string {
    return this.any && text !== '' ? this.redactBytes(Buffer.from(text, 'utf8'), cut).toString('utf8') : text;
  }

  /** JSON with every text and every name of a member redacted. */
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

/** By their beginnings; of two that begin in one place the longer comes first and gives its name. */
const inOrder = (one: Range, other: Range): number =>
  one.start - other.start || other.size - one.size || (one.name < other.name ? -1 : 1);

/** Redacts a stream. Every byte that belongs to any shape goes, also where shapes overlap. */
export class Redactor {
  #values: Values;
  #scan: Scan;
  /** what came and wasn't told yet; its first byte stands at `#from` */
  #held: Buffer = Buffer.alloc(0);
  #from = 0;
  /** what was found and isn't told of yet */
  #ranges: Range[] = [];
  /** up to here bytes belong to a value that is told of already */
  #covered = 0;
  /** up to here bytes were told in a pause */
  #told = 0;

  constructor(values: Values) {
    this.#values = values;
    this.#scan = values.scan();
  }

  /** Takes bytes and gives what is sure by now. */
  push(bytes: Uint8Array): Buffer {
    this.#held = this.#held.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#held, bytes]);
    this.#ranges.push(...this.#scan.push(bytes));
    return this.#tell(this.#scan.pending());
  }

  /** Looks for other values from here on. */
  learn(values: Values): void {
    if (values === this.#values) return;
    this.#values = values;
    this.#scan = values.scan(this.#from);
    this.#ranges.push(...this.#scan.push(this.#held));
  }

  /**
   * What is held back while nothing comes, where that is so little that it tells next to nothing. If it turns out to
   * begin a value, what follows of that goes all the same.
   */
  pause(): Buffer {
    const end = this.#from + this.#held.length;
    if (end - Math.max(this.#covered, this.#from) > PAUSE_BYTES_MAX) return Buffer.alloc(0);
    const shown = Buffer.concat(this.#shown(end).parts);
    this.#told = end;
    return shown;
  }

  /** The rest. `cut`: the stream was cut off, maybe within a value: what may be the beginning of one goes too. */
  end(cut = false): Buffer {
    this.#ranges.push(...this.#scan.finish(cut));
    return this.#tell(this.#from + this.#held.length);
  }

  /** Tells all before `until`: no value that isn't known yet begins there. */
  #tell(until: number): Buffer {
    const { parts, covered } = this.#shown(until);
    const told = Buffer.concat(parts);
    this.#covered = covered;
    this.#ranges = this.#ranges.filter(({ start }) => start >= until);
    // A copy: what is a part of a long chunk would keep all of it.
    this.#held = Buffer.from(this.#held.subarray(until - this.#from));
    this.#from = until;
    return told;
  }

  #shown(until: number): { readonly parts: Buffer[]; readonly covered: number } {
    const bytes = (from: number, to: number): Buffer =>
      this.#held.subarray(Math.max(from, this.#from) - this.#from, Math.max(to, this.#from) - this.#from);
    const parts: Buffer[] = [];
    let covered = this.#covered;
    let plain = Math.max(covered, this.#told);
    for (const { start, end, name } of this.#ranges.toSorted(inOrder)) {
      if (start >= until || end <= covered) continue;
      if (start >= covered && end > this.#told) {
        if (start > plain) parts.push(bytes(plain, start));
        parts.push(Buffer.from(instead(name)));
      }
      covered = end;
      plain = Math.max(plain, end);
    }
    if (until > plain) parts.push(bytes(plain, until));
    return { parts, covered };
  }
}
