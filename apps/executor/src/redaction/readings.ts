// SPDX-License-Identifier: Apache-2.0
//
// Readings of bytes that may hold a value: plain bytes, bytes with escapes and separators of formats, and digits.
// INVARIANT (any chunking): what a reading finds depends only on the bytes, not on how they were split.
import { BEGINS_ESCAPE, escapeAt, tableOf } from './escapes.ts';
import type { Range, Track } from './track.ts';

/** One interpretation of bytes. */
export interface Reading {
  /** Reads the next bytes, of which the first is at position `from`. */
  push(bytes: Uint8Array, from: number): void;
  /** Ends the input. */
  finish(): void;
  /** The earliest position where an incomplete value may begin; Infinity for none. */
  pending(): number;
  readonly tracks: readonly Track[];
}

/** The ranges found so far in all tracks of a reading. */
export const foundIn = ({ tracks }: Reading): Range[] => tracks.flatMap((track) => track.found());

const bytesIn = (text: string): Uint8Array => tableOf(Buffer.from(text, 'latin1'));

/** Reads the bytes unchanged. */
export class PlainReading implements Reading {
  readonly tracks: readonly [Track];
  #read = 0;

  constructor(track: Track) {
    this.tracks = [track];
  }

  push(bytes: Uint8Array, from: number): void {
    const [track] = this.tracks;
    for (let at = 0; at < bytes.length; at++) track.push(bytes[at] ?? 0, from + at, from + at + 1);
    this.#read = from + bytes.length;
  }

  finish(): void {
    // Each byte is a symbol, so nothing is buffered.
  }

  pending(): number {
    return this.tracks[0].pending(this.#read);
  }
}

/**
 * Separators that programs put between the characters of a text: line ends of `fold`, columns of `od -c`, punctuation
 * of a list.
 */
const CHARACTER_SEPARATORS = bytesIn(' \t\r\n\v\f"\',');

/** The bytes that a value has in a `LooseReading` of it. */
export function looseBytes(value: string): Uint8Array {
  return Buffer.from(value, 'utf8').filter((byte) => CHARACTER_SEPARATORS[byte] === 0);
}

/** The bytes of a text in a `LooseReading`, with its escapes decoded. */
export function decodedLooseBytes(text: string): Uint8Array {
  const bytes: number[] = [];
  forEachDecodedByte(Buffer.from(text, 'utf8'), true, (symbol) => bytes.push(symbol));
  return Uint8Array.from(bytes);
}

/**
 * Passes each decoded byte with its position to the callback. Returns where an incomplete escape begins, or the length.
 */
function forEachDecodedByte(
  bytes: Uint8Array,
  isLast: boolean,
  push: (symbol: number, start: number, end: number) => void,
): number {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const escape = BEGINS_ESCAPE[byte] === 1 ? escapeAt(bytes, at, isLast) : null;
    if (escape === 'more') return at;
    if (escape === null) {
      if (CHARACTER_SEPARATORS[byte] === 0) push(byte, at, at + 1);
    } else {
      for (const decoded of escape.bytes)
        if (CHARACTER_SEPARATORS[decoded] === 0) push(decoded, at, at + escape.length);
      at += escape.length - 1;
    }
  }
  return bytes.length;
}

/** Reads the text with its escapes decoded and without separators between characters. */
export class LooseReading implements Reading {
  readonly tracks: readonly [Track];
  /** bytes that may begin an escape */
  #rest: Uint8Array = new Uint8Array();
  #read = 0;

  constructor(track: Track) {
    this.tracks = [track];
  }

  push(bytes: Uint8Array, from: number): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#decode(all, from - this.#rest.length, false);
    this.#read = from + bytes.length;
  }

  finish(): void {
    this.#decode(this.#rest, this.#read - this.#rest.length, true);
  }

  pending(): number {
    return Math.min(
      this.#rest.length === 0 ? Infinity : this.#read - this.#rest.length,
      this.tracks[0].pending(this.#read),
    );
  }

  #decode(bytes: Uint8Array, from: number, isLast: boolean): void {
    const [track] = this.tracks;
    const rest = forEachDecodedByte(bytes, isLast, (symbol, start, end) =>
      track.push(symbol, from + start, from + end),
    );
    // A copy: the caller owns the memory and reuses it.
    this.#rest = bytes.slice(rest);
  }
}

/** Separators of bytes in hexadecimal: `6d 61`, `6d:61`, `%6d%61`, `\x6d\x61`, `6d-61`, `0x6d, 0x61`, and line ends. */
const HEX_SEPARATORS = bytesIn('\r\n\t :%\\xX,-');
const HEX = bytesIn('0123456789abcdefABCDEF');
const [ZERO, LOWER_X, UPPER_X] = [0x30, 0x78, 0x58];
/** Turns an upper-case letter into lower case and leaves a digit unchanged. */
const LOWER_CASE_BIT = 0x20;

/** Reads hexadecimal digits in lower case, with any separators between them; the `0` of `0x` is no digit. */
export class HexReading implements Reading {
  readonly tracks: readonly [Track];
  /** position of a zero that is a digit unless an `x` follows; -1 for none */
  #zero = -1;
  #read = 0;

  constructor(track: Track) {
    this.tracks = [track];
  }

  push(bytes: Uint8Array, from: number): void {
    const [track] = this.tracks;
    for (let index = 0; index < bytes.length; index++) {
      const [byte, at] = [bytes[index] ?? 0, from + index];
      if (byte === LOWER_X || byte === UPPER_X) this.#zero = -1;
      else this.finish();
      if (byte === ZERO) this.#zero = at;
      else if (HEX[byte] === 1) track.push(byte | LOWER_CASE_BIT, at, at + 1);
      else if (HEX_SEPARATORS[byte] === 0) track.reset();
    }
    this.#read = from + bytes.length;
  }

  finish(): void {
    if (this.#zero !== -1) this.tracks[0].push(ZERO, this.#zero, this.#zero + 1);
    this.#zero = -1;
  }

  pending(): number {
    return Math.min(this.#zero === -1 ? Infinity : this.#zero, this.tracks[0].pending(this.#read));
  }
}
