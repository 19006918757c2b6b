// SPDX-License-Identifier: Apache-2.0
import { ANY_NAME, field, UNKNOWN, type Field } from './field.ts';

/**
 * A text with the origin of each of its characters: `q` quoted, `b` bare in the command, `x` from an unquoted
 * expansion. Bare text globs and expands braces; expanded text globs and is split; quoted text does neither.
 */
export interface MarkedText {
  readonly text: string;
  readonly marks: string;
}

export type Mark = 'q' | 'b' | 'x';

export const EMPTY: MarkedText = { text: '', marks: '' };
export const marked = (text: string, mark: Mark): MarkedText => ({ text, marks: mark.repeat(text.length) });

/** A longer word is one that was doubled repeatedly: its content doesn't matter any more. */
const WORD_MAX = 131_072;

export function joined(parts: readonly MarkedText[]): MarkedText {
  if (parts.reduce((length, { text }) => length + text.length, 0) > WORD_MAX) return marked(UNKNOWN, 'x');
  return { text: parts.map(({ text }) => text).join(''), marks: parts.map(({ marks }) => marks).join('') };
}
const sliced = ({ text, marks }: MarkedText, start: number, end?: number): MarkedText => ({
  text: text.slice(start, end),
  marks: marks.slice(start, end),
});

/** The most words from one brace expression; more become one unknown pattern. */
const BRACES_MAX = 64;

/**
 * The fields of the text: braces are expanded, then expanded parts are split (POSIX XCU 2.6.5) at white space and at
 * the characters of `IFS`. Both are always used, since splitting too often makes the assessment stricter, not milder.
 */
export function fieldsOf(text: MarkedText, quoted: boolean, ifs: string): Field[] {
  return expandBraces(text)
    .flatMap((word) => split(word, quoted, ifs))
    .map(asField);
}

function asField({ text, marks }: MarkedText): Field {
  if (text.includes(ANY_NAME)) return field(text.replaceAll(ANY_NAME, '*'), true);
  for (let i = 0; i < text.length; i += 1)
    if (marks[i] !== 'q' && '*?['.includes(text.charAt(i))) return field(text, true);
  return field(text);
}

function split(word: MarkedText, quoted: boolean, ifs: string): MarkedText[] {
  const words: MarkedText[] = [];
  let start = 0;
  for (let i = 0; i <= word.text.length; i += 1) {
    const ends =
      i === word.text.length ||
      (word.marks[i] === 'x' && (/\s/.test(word.text.charAt(i)) || ifs.includes(word.text.charAt(i))));
    if (!ends) continue;
    if (i > start) words.push(sliced(word, start, i));
    start = i + 1;
  }
  return words.length === 0 && quoted ? [EMPTY] : words;
}

/** Expands `{a,b}` as bash does, left to right and nested; a brace without a comma stays unchanged. */
export function expandBraces(word: MarkedText): MarkedText[] {
  const done: MarkedText[] = [];
  const todo = [word];
  for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
    const parts = done.length + todo.length < BRACES_MAX ? outerBrace(next) : undefined;
    if (parts) todo.unshift(...parts);
    else done.push(next);
  }
  return done;
}

function outerBrace(word: MarkedText): MarkedText[] | undefined {
  for (let open = 0; open < word.text.length; open += 1) {
    if (!bare(word, open, '{')) continue;
    const cuts = alternatives(word, open);
    if (!cuts) continue;
    const head = sliced(word, 0, open);
    const tail = sliced(word, (cuts.at(-1) ?? open) + 1);
    return cuts.slice(1).map((cut, index) => joined([head, sliced(word, (cuts[index] ?? open) + 1, cut), tail]));
  }
  return undefined;
}

/** The positions of a brace expression's `{`, its own commas and its `}`; undefined if it isn't one. */
function alternatives(word: MarkedText, open: number): number[] | undefined {
  const cuts = [open];
  let depth = 0;
  for (let i = open; i < word.text.length; i += 1) {
    if (bare(word, i, '{')) depth += 1;
    else if (bare(word, i, ',') && depth === 1) cuts.push(i);
    else if (bare(word, i, '}')) depth -= 1;
    if (depth === 0) return cuts.length > 1 ? [...cuts, i] : undefined;
  }
  return undefined;
}

const bare = ({ text, marks }: MarkedText, at: number, char: string): boolean => marks[at] === 'b' && text[at] === char;
