// SPDX-License-Identifier: Apache-2.0
//
// Ways to read bytes in which a value may stand: as they are, with what formats and programs put into and between its
// bytes, and as digits. INVARIANT (any chunking): what a reading finds is a function of all that it was given, however
// that was cut.
import { BEGINS_ESCAPE, escapeAt, tableOf } from './escapes.ts';
import type { Range, Track } from './track.ts';

/** A way to read bytes. */
export interface Reading {
  /** Takes the next bytes, the first of which stands at `from`. */
  take(bytes: Uint8Array, from: number): void;
  /** No bytes follow. */
  finish(): void;
  /** Where a value may have begun that isn't read to its end; Infinity where none may. */
  pending(): number;
  readonly tracks: readonly Track[];
}

/** What is found by now in all tracks of a reading. */
export const foundIn = ({ tracks }: Reading): Range[] => tracks.flatMap((track) => track.found());

const bytesIn = (text: string): Uint8Array => tableOf(Buffer.from(text, 'latin1'));

/** The bytes as they are. */
export class PlainReading implements Reading {
  readonly tracks: readonly [Track];
  #read = 0;

  constructor(track: Track) {
    this.tracks = [track];
  }

  take(bytes: Uint8Array, from: number): void {
    const [track] = this.tracks;
    for (let at = 0; at < bytes.length; at++) track.take(bytes[at] ?? 0, from + at, from + at + 1);
    this.#read = from + bytes.length;
  }

  finish(): void {
    // A byte is a symbol: nothing is kept back.
  }

  pending(): number {
    return this.tracks[0].pending(this.#read);
  }
}

/** What programs put between the characters of a text: line ends of `fold`, columns of `od -c`, the signs of a list. */
const BETWEEN_CHARACTERS = bytesIn(' \t\r\n\v\f"\',');

/** The bytes that a value has in a `LooseReading` of it. */
export function looseBytes(value: string): Uint8Array {
  return Buffer.from(value, 'utf8').filter((byte) => BETWEEN_CHARACTERS[byte] === 0);
}

/** The bytes that a text has in a `LooseReading`, its escapes read. */
export function readLoosely(text: string): Uint8Array {
  const bytes: number[] = [];
  eachLoosely(Buffer.from(text, 'utf8'), true, (symbol) => bytes.push(symbol));
  return Uint8Array.from(bytes);
}

/**
 * Gives each byte that is meant, with where it stands; answers where what may be the beginning of an escape begins, or
 * the length.
 */
function eachLoosely(
  bytes: Uint8Array,
  isLast: boolean,
  take: (symbol: number, start: number, end: number) => void,
): number {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const escape = BEGINS_ESCAPE[byte] === 1 ? escapeAt(bytes, at, isLast) : null;
    if (escape === 'more') return at;
    if (escape === null) {
      if (BETWEEN_CHARACTERS[byte] === 0) take(byte, at, at + 1);
    } else {
      for (const meant of escape.bytes) if (BETWEEN_CHARACTERS[meant] === 0) take(meant, at, at + escape.length);
      at += escape.length - 1;
    }
  }
  return bytes.length;
}

/** The text with its escapes read and what may stand between characters left out. */
export class LooseReading implements Reading {
  readonly tracks: readonly [Track];
  /** what may be the beginning of an escape */
  #rest: Uint8Array = new Uint8Array();
  #read = 0;

  constructor(track: Track) {
    this.tracks = [track];
  }

  take(bytes: Uint8Array, from: number): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#pass(all, from - this.#rest.length, false);
    this.#read = from + bytes.length;
  }

  finish(): void {
    this.#pass(this.#rest, this.#read - this.#rest.length, true);
  }

  pending(): number {
    return Math.min(
      this.#rest.length === 0 ? Infinity : this.#read - this.#rest.length,
      this.tracks[0].pending(this.#read),
    );
  }

  #pass(bytes: Uint8Array, from: number, isLast: boolean): void {
    const [track] = this.tracks;
    const rest = eachLoosely(bytes, isLast, (symbol, start, end) => track.take(symbol, from + start, from + end));
    // A copy: the memory is the caller's and used again.
    this.#rest = bytes.slice(rest);
  }
}

/**
 * What stands between bytes in hexadecimal: `6d 61`, `6d:61`, `%6d%61`, `\x6d\x61`, `6d-61`, `0x6d, 0x61`, and line
 * ends.
 */
const BETWEEN_HEX = bytesIn('\r\n\t :%\\xX,-');
const HEX = bytesIn('0123456789abcdefABCDEF');
const [ZERO, SMALL_X, LARGE_X] = [0x30, 0x78, 0x58];
/** Makes a capital letter a small one, and leaves a digit as it is. */
const SMALL = 0x20;

/** Hexadecimal digits, small, whatever stands between them; a `0` before an `x` is none. */
export class HexReading implements Reading {
  readonly tracks: readonly [Track];
  /** where a zero stands of which the next byte decides */
  #zero = -1;
  #read = 0;

  constructor(track: Track) {
    this.tracks = [track];
  }

  take(bytes: Uint8Array, from: number): void {
    const [track] = this.tracks;
    for (let index = 0; index < bytes.length; index++) {
      const [byte, at] = [bytes[index] ?? 0, from + index];
      if (byte === SMALL_X || byte === LARGE_X) this.#zero = -1;
      else this.finish();
      if (byte === ZERO) this.#zero = at;
      else if (HEX[byte] === 1) track.take(byte | SMALL, at, at + 1);
      else if (BETWEEN_HEX[byte] === 0) track.reset();
    }
    this.#read = from + bytes.length;
  }

  finish(): void {
    if (this.#zero !== -1) this.tracks[0].take(ZERO, this.#zero, this.#zero + 1);
    this.#zero = -1;
  }

  pending(): number {
    return Math.min(this.#zero === -1 ? Infinity : this.#zero, this.tracks[0].pending(this.#read));
  }
}
