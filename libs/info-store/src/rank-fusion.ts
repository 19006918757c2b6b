// SPDX-License-Identifier: Apache-2.0

/**
 * The constant of reciprocal rank fusion. Cormack, Clarke and Büttcher (SIGIR 2009) chose 60 in a pilot study and found
 * the results insensitive to it.
 */
export const RANK_CONSTANT = 60;

/** An item of a fused ranking. */
export interface Fused<T> {
  readonly item: T;
  /** the sum of 1 / (RANK_CONSTANT + rank) over the rankings that have it; ranks begin at 1 */
  readonly score: number;
}

/**
 * Merges rankings, best first, by reciprocal rank fusion. Of items with one key, the first is kept. Items with equal
 * scores keep the order of the first ranking, and then of the next.
 */
export function fuseRankings<T>(rankings: readonly (readonly T[])[], keyOf: (item: T) => string): Fused<T>[] {
  const fused = new Map<string, { item: T; score: number }>();
  for (const ranking of rankings) {
    const seen = new Set<string>();
    ranking.forEach((item, index) => {
      const key = keyOf(item);
      if (seen.has(key)) return;
      seen.add(key);
      const entry = fused.get(key) ?? { item, score: 0 };
      entry.score += 1 / (RANK_CONSTANT + index + 1);
      fused.set(key, entry);
    });
  }
  return [...fused.values()].sort((a, b) => b.score - a.score);
}
