// SPDX-License-Identifier: Apache-2.0

/** What is looked for in a reading of bytes, and what it is the value of. */
export interface Pattern {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A pattern that ends where a text was read to: the longest of those that do. */
export interface Hit {
  readonly name: string;
  readonly length: number;
}

const BYTES = 256;

/**
 * Finds many patterns at once, in time that grows with the text alone (Aho, Corasick). A state is the longest beginning
 * of any pattern that what was read so far ends with.
 */
export class Automaton {
  /** by state and byte; only what leads on from a state, since values are long and few */
  readonly #next = new Map<number, number>();
  /** from the first state, where nearly every byte of a text is read */
  readonly #first = new Int32Array(BYTES);
  readonly #falls: number[] = [0];
  readonly #hits: (Hit | null)[] = [null];
  readonly #depths: number[] = [0];
  readonly #names: string[] = [''];
  readonly #begun: number[] = [0];
  /** the longest pattern's */
  readonly depthMax: number;

  constructor(patterns: readonly Pattern[]) {
    for (const { name, bytes } of patterns) this.#add(name, bytes);
    this.#link();
    this.depthMax = this.#depths.reduce((most, depth) => Math.max(most, depth), 0);
  }

  get isEmpty(): boolean {
    return this.depthMax === 0;
  }

  /** The state after one byte more. */
  step(state: number, byte: number): number {
    for (let at = state; at !== 0; at = this.#falls[at] ?? 0) {
      const next = this.#next.get(at * BYTES + byte);
      if (next !== undefined) return next;
    }
    return this.#first[byte] ?? 0;
  }

  /** The longest pattern that ends in the state; null where none does. */
  hit(state: number): Hit | null {
    return this.#hits[state] ?? null;
  }

  /**
   * How many bytes the longest beginning has that the state ends with and that may still go on: a pattern that is whole
   * is none.
   */
  begun(state: number): number {
    return this.#begun[state] ?? 0;
  }

  /** A pattern that the state, or what of it may still go on, begins. */
  nameOf(state: number): string {
    return this.#names[state] ?? '';
  }

  #add(name: string, bytes: Uint8Array): void {
    let state = 0;
    for (const byte of bytes) {
      const known = state === 0 ? this.#first[byte] : this.#next.get(state * BYTES + byte);
      if (known !== undefined && known !== 0) {
        state = known;
        continue;
      }
      const made = this.#depths.length;
      this.#depths.push((this.#depths[state] ?? 0) + 1);
      this.#hits.push(null);
      this.#falls.push(0);
      this.#names.push(name);
      this.#begun.push(0);
      if (state === 0) this.#first[byte] = made;
      else this.#next.set(state * BYTES + byte, made);
      state = made;
    }
    if (state !== 0) this.#hits[state] ??= { name, length: bytes.length };
  }

  /** States are made parents first, so those that a state falls to are linked before it: level by level. */
  #link(): void {
    const byDepth = [...this.#next].map(([key, state]) => ({
      from: Math.floor(key / BYTES),
      byte: key % BYTES,
      state,
    }));
    byDepth.sort((one, other) => (this.#depths[one.state] ?? 0) - (this.#depths[other.state] ?? 0));
    const goesOn = new Set(byDepth.map(({ from }) => from));
    for (const state of this.#first) if (state !== 0) this.#begun[state] = goesOn.has(state) ? 1 : 0;
    for (const { from, byte, state } of byDepth) {
      const fall = this.step(this.#falls[from] ?? 0, byte);
      this.#falls[state] = fall;
      this.#hits[state] ??= this.#hits[fall] ?? null;
      this.#begun[state] = goesOn.has(state) ? (this.#depths[state] ?? 0) : (this.#begun[fall] ?? 0);
    }
  }
}
