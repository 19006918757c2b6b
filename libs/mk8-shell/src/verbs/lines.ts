// SPDX-License-Identifier: Apache-2.0

/** The lines of a text; an end of line at its end opens no further one, and no text has no lines. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** What a verb answers where the machine can't say. */
export const UNAVAILABLE = 'unavailable';

/** The answer in words, or that there is none. */
export const said = <Fact>(fact: Fact | null, words: (fact: Fact) => string = String): string =>
  fact === null ? UNAVAILABLE : words(fact);

export const yesOrNo = (answer: boolean): string => (answer ? 'True' : 'False');
export const listed = (lines: readonly string[]): string => lines.join('\n');

/** The first so many, and a notice where there are more. */
export function capped(lines: readonly string[], max: number): string {
  return listed(lines.length > max ? [...lines.slice(0, max), `[only the first ${max} are shown]`] : lines);
}
