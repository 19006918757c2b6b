// SPDX-License-Identifier: Apache-2.0

/** A page of vectors, end to end, in the order of their ids, which ascend. */
export interface VectorBlock {
  readonly ids: Float64Array;
  readonly vectors: Float32Array;
}

/** The best of what was scored, best first. */
export interface Ranking {
  readonly ids: readonly number[];
  readonly scores: readonly number[];
}

/** Keeps the ids with the largest dot products, at most `most`. Of equal ones, those with smaller ids. */
export class TopHits {
  readonly #query: Float32Array;
  readonly #most: number;
  readonly #only: Float64Array | null;
  readonly #ids: number[] = [];
  readonly #scores: number[] = [];

  /** @param only the ids that count, ascending; null for all */
  constructor(query: Float32Array, most: number, only: Float64Array | null) {
    this.#query = query;
    this.#most = most;
    this.#only = only;
  }

  add({ ids, vectors }: VectorBlock): void {
    const query = this.#query;
    const { length } = query;
    let at = this.#only === null ? 0 : firstAtLeast(this.#only, ids[0] ?? 0);
    for (let row = 0; row < ids.length; row += 1) {
      const id = ids[row] ?? 0;
      if (this.#only !== null) {
        while ((this.#only[at] ?? Infinity) < id) at += 1;
        if (this.#only[at] !== id) continue;
      }
      this.#insert(id, dotProduct(vectors, row * length, query));
    }
  }

  ranking(): Ranking {
    return { ids: [...this.#ids], scores: [...this.#scores] };
  }

  #insert(id: number, score: number): void {
    const scores = this.#scores;
    if (scores.length === this.#most && score <= (scores[scores.length - 1] ?? 0)) return;
    let at = scores.length;
    while (at > 0 && (scores[at - 1] ?? 0) < score) at -= 1;
    scores.splice(at, 0, score);
    this.#ids.splice(at, 0, id);
    if (scores.length > this.#most) {
      scores.pop();
      this.#ids.pop();
    }
  }
}

/** The first place of a number that is at least `value`. */
function firstAtLeast(ascending: Float64Array, value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The dot product of the query and the numbers from `start` on. Every read is within bounds: no check, no default. */
function dotProduct(vectors: Float32Array, start: number, query: Float32Array): number {
  const { length } = query;
  const whole = length - (length % 4);
  // Four sums: the processor adds them at the same time.
  let [a, b, c, d] = [0, 0, 0, 0];
  let n = 0;
  for (; n < whole; n += 4) {
    a += (vectors[start + n] as number) * (query[n] as number);
    b += (vectors[start + n + 1] as number) * (query[n + 1] as number);
    c += (vectors[start + n + 2] as number) * (query[n + 2] as number);
    d += (vectors[start + n + 3] as number) * (query[n + 3] as number);
  }
  for (; n < length; n += 1) a += (vectors[start + n] as number) * (query[n] as number);
  return a + b + c + d;
}
