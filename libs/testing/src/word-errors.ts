// SPDX-License-Identifier: Apache-2.0

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9' ]/g, '')
    .split(/ +/)
    .filter(Boolean);

/**
 * Words that were replaced, left out or added, by the smallest number of changes; and the words that were said. Their
 * quotient is the word error rate. Case and punctuation don't count.
 */
export function wordErrors(said: string, heard: string): { readonly errors: number; readonly words: number } {
  const [a, b] = [wordsOf(said), wordsOf(heard)];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, word] of a.entries()) {
    const next = [i + 1];
    for (const [j, other] of b.entries())
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (word === other ? 0 : 1)));
    row = next;
  }
  return { errors: row[b.length] ?? 0, words: a.length };
}
