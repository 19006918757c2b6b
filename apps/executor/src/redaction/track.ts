// SPDX-License-Identifier: Apache-2.0
import type { Automaton } from './automaton.ts';

/**
 * The range of a value, in bytes from the start of the input. It may cover several overlapping values and has the name
 * of the first. `size` is the length of that first value: of two that begin at one position, the longer gives the name.
 */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly size: number;
}

/**
 * Searches the symbols of one reading for patterns. Each symbol has a position in the bytes. A found range covers all
 * bytes between its first and last symbol.
 */
export class Track {
  readonly #automaton: Automaton;
  /** the longest gap in bytes between two symbols of a value */
  readonly #gapMax: number;
  /** start positions of the last symbols, as many as the longest pattern has */
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

  /** Reads the next symbol, which spans `start` to `end`. */
  push(symbol: number, start: number, end: number): void {
    const automaton = this.#automaton;
    if (this.#state !== 0 && start - this.#end > this.#gapMax) this.#state = 0;
    this.#state = automaton.step(this.#state, symbol);
    if (this.#state === 0) return;
    this.#starts[this.#count & this.#mask] = start;
    this.#count += 1;
    this.#end = end;
    const hit = automaton.hit(this.#state);
    if (hit !== null) this.#addRange(rangeOf(this.#startOf(hit.length), end, hit.name));
  }

  /** Forgets partial matches: this position belongs to no value. */
  reset(): void {
    this.#state = 0;
  }

  /** The position where an incomplete value may begin after `read` bytes; Infinity for none. */
  pending(read: number): number {
    if (this.#state !== 0 && read - this.#end > this.#gapMax) this.#state = 0;
    const prefixRange = this.#automaton.prefixLength(this.#state);
    return prefixRange === 0 ? Infinity : this.#startOf(prefixRange);
  }

  /** A possible beginning of a value as a range up to `end`, if it has at least that many symbols. */
  prefixRange(symbolsMin: number, end: number): Range | null {
    const depth = this.#automaton.prefixLength(this.#state);
    return depth < symbolsMin || this.pending(end) === Infinity
      ? null
      : rangeOf(this.#startOf(depth), end, this.#automaton.nameOf(this.#state));
  }

  /** The ranges found since the last call, ordered by their ends; overlapping ranges are merged. */
  found(): readonly Range[] {
    const found = this.#found;
    if (found.length > 0) this.#found = [];
    return found;
  }

  /** The start position of the symbol that is `back` symbols from the end. */
  #startOf(back: number): number {
    return this.#starts[(this.#count - back) & this.#mask] ?? 0;
  }

  #addRange(range: Range): void {
    const last = this.#found.at(-1);
    if (last === undefined || range.start >= last.end) this.#found.push(range);
    else this.#found[this.#found.length - 1] = range.start <= last.start ? range : { ...last, end: range.end };
  }
}

const rangeOf = (start: number, end: number, name: string): Range => ({ start, end, name, size: end - start });
