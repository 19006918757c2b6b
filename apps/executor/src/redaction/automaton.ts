// SPDX-License-Identifier: Apache-2.0

/** A byte sequence to search for, and the name of its secret. */
export interface Pattern {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The longest pattern that ends at the current position. */
export interface Hit {
  readonly name: string;
  readonly length: number;
}

const BYTES = 256;

/**
 * Finds many patterns at once, in time that grows with the text alone (Aho-Corasick). A state is the longest prefix of
 * any pattern that the text so far ends with.
 */
export class Automaton {
  /** transitions by state and byte; sparse, since values are long and few */
  readonly #next = new Map<number, number>();
  /** transitions from the first state, which reads nearly every byte of a text */
  readonly #first = new Int32Array(BYTES);
  readonly #fallbacks: number[] = [0];
  readonly #hits: (Hit | null)[] = [null];
  readonly #depths: number[] = [0];
  readonly #names: string[] = [''];
  readonly #prefixLengths: number[] = [0];
  /** the length of the longest pattern */
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
    for (let at = state; at !== 0; at = this.#fallbacks[at] ?? 0) {
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
   * The length of the longest proper prefix of a pattern that the state ends with and that may still grow. A complete
   * pattern doesn't count.
   */
  prefixLength(state: number): number {
    return this.#prefixLengths[state] ?? 0;
  }

  /** The name of a pattern that the state, or its growing prefix, begins. */
  nameOf(state: number): string {
    return this.#names[state] ?? '';
  }

  #add(name: string, bytes: Uint8Array): void {
    let state = 0;
    for (const byte of bytes) {
      const existing = state === 0 ? this.#first[byte] : this.#next.get(state * BYTES + byte);
      if (existing !== undefined && existing !== 0) {
        state = existing;
        continue;
      }
      const made = this.#depths.length;
      this.#depths.push((this.#depths[state] ?? 0) + 1);
      this.#hits.push(null);
      this.#fallbacks.push(0);
      this.#names.push(name);
      this.#prefixLengths.push(0);
      if (state === 0) this.#first[byte] = made;
      else this.#next.set(state * BYTES + byte, made);
      state = made;
    }
    if (state !== 0) this.#hits[state] ??= { name, length: bytes.length };
  }

  /** Links states level by level, so that a state's fallback is linked before it. */
  #link(): void {
    const byDepth = [...this.#next].map(([key, state]) => ({
      from: Math.floor(key / BYTES),
      byte: key % BYTES,
      state,
    }));
    byDepth.sort((one, other) => (this.#depths[one.state] ?? 0) - (this.#depths[other.state] ?? 0));
    const growing = new Set(byDepth.map(({ from }) => from));
    for (const state of this.#first) if (state !== 0) this.#prefixLengths[state] = growing.has(state) ? 1 : 0;
    for (const { from, byte, state } of byDepth) {
      const fallback = this.step(this.#fallbacks[from] ?? 0, byte);
      this.#fallbacks[state] = fallback;
      this.#hits[state] ??= this.#hits[fallback] ?? null;
      this.#prefixLengths[state] = growing.has(state)
        ? (this.#depths[state] ?? 0)
        : (this.#prefixLengths[fallback] ?? 0);
    }
  }
}
