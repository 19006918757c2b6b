// SPDX-License-Identifier: Apache-2.0

/** A longer word is no misspelt name; it bounds the work for each candidate. */
const CHARS_MAX = 64;
/** More candidates are not compared. */
const CANDIDATES_MAX = 1_000;
/** One mistake in this many characters of a name. */
const CHARS_PER_MISTAKE = 3;
const MISTAKES_MAX = 3;

/**
 * The known name that was most likely meant by a misspelt one; null where none is near. A mistake is a character that
 * is missing, added or changed, or two neighbours that are swapped. Upper and lower case count as equal. The word is
 * attacker-controlled: the work is bounded whatever its length is.
 */
export function nearestName(word: string, names: Iterable<string>): string | null {
  if (word === '' || word.length > CHARS_MAX) return null;
  const wanted = word.toLowerCase();
  let best: string | null = null;
  let least = Math.min(MISTAKES_MAX, Math.ceil(word.length / CHARS_PER_MISTAKE)) + 1;
  let compared = 0;
  for (const name of names) {
    if ((compared += 1) > CANDIDATES_MAX) break;
    if (name.length > CHARS_MAX || Math.abs(name.length - word.length) >= least) continue;
    const mistakes = mistakesBetween(wanted, name.toLowerCase());
    // All characters wrong is another word, not a misspelt one.
    if (mistakes >= least || mistakes >= Math.max(word.length, name.length)) continue;
    [best, least] = [name, mistakes];
  }
  return best;
}

/** The end of a message about an unknown name: the name that was meant, or the known ones. */
export function didYouMean(word: string, names: readonly string[]): string {
  const near = nearestName(word, names);
  if (near !== null) return `; did you mean \`${near}\`?`;
  return names.length === 0 || names.length > NAMES_LISTED_MAX
    ? ''
    : `; known here: ${names.map((name) => `\`${name}\``).join(', ')}`;
}
/** A longer list hides what a message says. */
const NAMES_LISTED_MAX = 16;

/** The distance of Damerau and Levenshtein, with swaps of neighbours only. */
function mistakesBetween(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_cell, at) => at)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    [before, last] = [last, row];
  }
  return last[other.length] ?? 0;
}
