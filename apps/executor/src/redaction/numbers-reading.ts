// SPDX-License-Identifier: Apache-2.0
import { tableOf } from './escapes.ts';
import type { Reading } from './readings.ts';
import type { Track } from './track.ts';

const [ZERO, NINE, LINE_FEED] = [0x30, 0x39, 0x0a];
/** Separators of the numbers in a list, or in the output of `od -tu1`. */
const SEPARATORS = tableOf(Buffer.from(' \t\r\n,;:[](){}<>'));
/** Decimal digits of a byte. */
const DIGITS_MAX = 3;
const BYTE_MAX = 255;

/** Bytes as decimal numbers, as lists of them are written: `[104, 117, 110]`. */
export class NumbersReading implements Reading {
  readonly tracks: readonly [Track];
  #start = -1;
  #value = 0;
  /** whether only separators came before in the line: then a long number is the offset of a dump */
  #isFirst = true;
  #read = 0;

  constructor(track: Track) {
    this.tracks = [track];
  }

  push(bytes: Uint8Array, from: number): void {
    for (let index = 0; index < bytes.length; index++) {
      const [byte, at] = [bytes[index] ?? 0, from + index];
      if (byte >= ZERO && byte <= NINE) {
        if (this.#start === -1) [this.#start, this.#value] = [at, 0];
        // Once a number is far too long, its exact value doesn't matter.
        this.#value = Math.min(this.#value * 10 + byte - ZERO, Number.MAX_SAFE_INTEGER / 100);
        continue;
      }
      this.#endNumber(at);
      if (byte === LINE_FEED) this.#isFirst = true;
      else if (SEPARATORS[byte] === 0) {
        this.#isFirst = false;
        this.tracks[0].reset();
      }
    }
    this.#read = from + bytes.length;
  }

  finish(): void {
    this.#endNumber(this.#read);
  }

  pending(): number {
    return Math.min(
      this.#start === -1 || this.#read - this.#start > DIGITS_MAX ? Infinity : this.#start,
      this.tracks[0].pending(this.#read),
    );
  }

  #endNumber(end: number): void {
    if (this.#start === -1) return;
    const [start, value, isFirst] = [this.#start, this.#value, this.#isFirst];
    this.#start = -1;
    this.#isFirst = false;
    if (end - start <= DIGITS_MAX && value <= BYTE_MAX) this.tracks[0].push(value, start, end);
    else if (!isFirst) this.tracks[0].reset();
  }
}
