// SPDX-License-Identifier: Apache-2.0
import type { Automaton } from './automaton.ts';

/**
 * Where a value stands, in bytes from the beginning of what was read; or several that overlap, of which it has the name
 * of the first. `size` is that one's: of two that begin in one place the longer one gives its name, however many others
 * follow.
 */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly size: number;
}

/**
 * Looks for patterns in the symbols of one reading, each of which stands somewhere in the bytes. What it finds covers
 * all that stands between the first and the last symbol.
 */
export class Track {
  readonly #automaton: Automaton;
  /** bytes that may stand between two symbols of a value */
  readonly #gapMax: number;
  /** where the last symbols begin, as many as a pattern has at most */
  readonly #starts: Float64Array;
  readonly #mask: number;
  #state = 0;
  #count = 0;
  #end = 0;
  #found: Range[] = [];

  constructor(automaton: Automaton, gapMax: number) {
    this.#automaton = automaton;
    this.#gapMax = gapMax;
    const size = 2 ** Math.ceil(Math.log2(automaton.depthMax + 1));
    this.#starts = new Float64Array(size);
    this.#mask = size - 1;
  }

  /** Takes the next symbol, which stands from `start` to `end`. */
  take(symbol: number, start: number, end: number): void {
    const automaton = this.#automaton;
    if (this.#state !== 0 && start - this.#end > this.#gapMax) this.#state = 0;
    this.#state = automaton.step(this.#state, symbol);
    if (this.#state === 0) return;
    this.#starts[this.#count & this.#mask] = start;
    this.#count += 1;
    this.#end = end;
    const hit = automaton.hit(this.#state);
    if (hit !== null) this.#keep(rangeOf(this.#startOf(hit.length), end, hit.name));
  }

  /** Something stands here that is in no value. */
  reset(): void {
    this.#state = 0;
  }

  /** Where a value may have begun that isn't read to its end when `read` bytes were read; Infinity where none may. */
  pending(read: number): number {
    if (this.#state !== 0 && read - this.#end > this.#gapMax) this.#state = 0;
    const begun = this.#automaton.begun(this.#state);
    return begun === 0 ? Infinity : this.#startOf(begun);
  }

  /** What may be the beginning of a value, where it has that many symbols at least, as if it had been read to `end`. */
  begun(least: number, end: number): Range | null {
    const depth = this.#automaton.begun(this.#state);
    return depth < least || this.pending(end) === Infinity
      ? null
      : rangeOf(this.#startOf(depth), end, this.#automaton.nameOf(this.#state));
  }

  /** What was found since this was asked last, in the order of their ends; ranges that overlap come as one. */
  found(): readonly Range[] {
    const found = this.#found;
    if (found.length > 0) this.#found = [];
    return found;
  }

  /** Where the symbol stands that has so many, itself included, up to the last one. */
  #startOf(back: number): number {
    return this.#starts[(this.#count - back) & this.#mask] ?? 0;
  }

  #keep(range: Range): void {
    const last = this.#found.at(-1);
    if (last === undefined || range.start >= last.end) this.#found.push(range);
    else this.#found[this.#found.length - 1] = range.start <= last.start ? range : { ...last, end: range.end };
  }
}

const rangeOf = (start: number, end: number, name: string): Range => ({ start, end, name, size: end - start });
