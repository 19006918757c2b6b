// SPDX-License-Identifier: Apache-2.0

/** What a tool is found by. */
interface Searched {
  readonly id: string;
  readonly description: string;
}

/** Words of a query that count: more of them find nothing better. */
const WORDS_MAX = 16;
/** What a word is worth in the name, and in the description. */
const [IN_NAME, IN_DESCRIPTION] = [4, 1];

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * The tools whose name or description has words of the query, best first, and by name where they are equally good. The
 * time is linear in the catalogue.
 */
export function searchTools<T extends Searched>(tools: readonly T[], query: string, limit: number): T[] {
  const words = [...new Set(wordsOf(query))].slice(0, WORDS_MAX);
  const scored = tools.map((tool) => ({ tool, score: scoreOf(tool, words) }));
  return scored
    .filter(({ score }) => score > 0 || words.length === 0)
    .sort((a, b) => b.score - a.score || (a.tool.id < b.tool.id ? -1 : 1))
    .slice(0, limit)
    .map(({ tool }) => tool);
}

function scoreOf({ id, description }: Searched, words: readonly string[]): number {
  const [name, said] = [id.toLowerCase(), description.toLowerCase()];
  return words.reduce(
    (sum, word) => sum + (name.includes(word) ? IN_NAME : 0) + (said.includes(word) ? IN_DESCRIPTION : 0),
    0,
  );
}
