// SPDX-License-Identifier: Apache-2.0
import { formatPatch, structuredPatch } from 'diff';

/** Two states of a text; null where there is no file. */
export interface TextPair {
  readonly path: string;
  readonly old: string | null;
  readonly now: string | null;
}

/** The differences between two texts, as a unified diff. */
export interface ComparedText {
  readonly added_lines: number;
  readonly removed_lines: number;
  readonly text: string;
}

/** How long a comparison may take, in milliseconds: one pair, and all pairs together. */
export interface CompareBudget {
  readonly eachMs: number;
  readonly allMs: number;
}

/** Lines around a change. */
const CONTEXT_LINES = 3;

/**
 * Compares each pair; null where that takes too long. Two texts with nothing in common take time quadratic in their
 * lines, so a pair of two texts that was not begun within the budget is not compared.
 *
 * @param now milliseconds that only go forward
 */
export function compareTexts(
  pairs: readonly TextPair[],
  { eachMs, allMs }: CompareBudget,
  now: () => number,
): (ComparedText | null)[] {
  const until = now() + allMs;
  return pairs.map((pair) => {
    // A comparison with an absent file takes linear time.
    if (pair.old === null || pair.now === null) return compareOne(pair, undefined);
    const left = until - now();
    return left <= 0 ? null : compareOne(pair, Math.min(eachMs, left));
  });
}

function compareOne({ path, old, now }: TextPair, timeout: number | undefined): ComparedText | null {
  const names = [old === null ? '/dev/null' : `a/${path}`, now === null ? '/dev/null' : `b/${path}`] as const;
  const bound = timeout === undefined ? {} : { timeout };
  const patch = structuredPatch(...names, old ?? '', now ?? '', undefined, undefined, {
    context: CONTEXT_LINES,
    ...bound,
  });
  if (patch === undefined) return null;
  let [added, removed] = [0, 0];
  for (const { lines } of patch.hunks) {
    for (const line of lines) {
      if (line.startsWith('+')) added += 1;
      else if (line.startsWith('-')) removed += 1;
    }
  }
  return { added_lines: added, removed_lines: removed, text: formatPatch(patch) };
}
