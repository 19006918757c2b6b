// SPDX-License-Identifier: Apache-2.0

/** The lines of a text. A final line break starts no further line, and an empty text has no lines. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The output of a verb where the machine has no such fact. */
export const UNAVAILABLE = 'unavailable';

/** The fact as a text, or that it is unavailable. */
export const factText = <Fact>(fact: Fact | null, words: (fact: Fact) => string = String): string =>
  fact === null ? UNAVAILABLE : words(fact);

export const yesOrNo = (answer: boolean): string => (answer ? 'True' : 'False');
export const listed = (lines: readonly string[]): string => lines.join('\n');

/** The first lines, and a notice where there are more. */
export function capped(lines: readonly string[], max: number): string {
  return listed(lines.length > max ? [...lines.slice(0, max), `[only the first ${max} are shown]`] : lines);
}
