// SPDX-License-Identifier: Apache-2.0
//
// Words of a command that runs without a shell. INVARIANT (what bash would have said, or nothing): a text is split only
// if bash would split it into the same words. Anything that bash would interpret further, an expansion, an operator, a
// pattern, a comment, is a problem and never taken as text.

/** The words, or the problem with the text. */
export type ShellWords =
  { readonly words: readonly string[]; readonly problem: null } | { readonly words: null; readonly problem: string };

/** Outside of quotes these are special, at any position. */
const ACTS = new Set('|&;<>()$`*?[]\n\r');
/** At the beginning of a word these are special. */
const ACTS_FIRST = new Set('~#');
/** After a backslash within double quotes, only these become literal. */
const ESCAPED_IN_DOUBLE = new Set('$`"\\');

/** Splits a command into its words, in linear time. Total: any text has words or a problem. */
export function shellWords(text: string): ShellWords {
  const words: string[] = [];
  // null between words; a quoted empty word is a word too
  let word: string | null = null;
  let at = 0;
  const problem = (what: string): ShellWords => ({ words: null, problem: what });
  while (at < text.length) {
    const char = text[at] as string;
    if (char === ' ' || char === '\t') {
      if (word !== null) words.push(word);
      word = null;
      at += 1;
    } else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) return problem('a quote is never closed');
      word = (word ?? '') + text.slice(at + 1, end);
      at = end + 1;
    } else if (char === '"') {
      const quoted = doubleQuoted(text, at + 1);
      if (typeof quoted === 'string') return problem(quoted);
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (char === '\\') {
      const next = text[at + 1];
      if (next === undefined || next === '\n') return problem('it ends, or breaks its line, with a backslash');
      word = (word ?? '') + next;
      at += 2;
    } else {
      if (ACTS.has(char) || (word === null && ACTS_FIRST.has(char)))
        return problem(
          `${JSON.stringify(char)} means something to a shell, and there is none: quote it, or make several calls`,
        );
      // Bash reads `a{b,c}` and `{1..3}` as several words, and `x=~` and `x:~` as a path. They are rare, so they are
      // refused.
      if (char === '{' || char === '}') return problem('braces may mean something to a shell: quote them');
      if (char === '~' && /[=:]$/.test(word ?? '')) return problem('"~" means something to a shell there: quote it');
      word = (word ?? '') + char;
      at += 1;
    }
  }
  if (word !== null) words.push(word);
  return { words, problem: null };
}

/** The text between double quotes from `start` on, and its end; or the problem, in words. */
function doubleQuoted(text: string, start: number): { readonly text: string; readonly end: number } | string {
  let read = '';
  for (let at = start; at < text.length; at += 1) {
    const char = text[at] as string;
    if (char === '"') return { text: read, end: at + 1 };
    if (char === '$' || char === '`')
      return `"${char}" means something to a shell within double quotes: use single ones`;
    const next = text[at + 1] ?? '';
    if (char === '\\' && next === '\n') return 'it breaks its line with a backslash';
    if (char === '\\' && ESCAPED_IN_DOUBLE.has(next)) {
      read += next;
      at += 1;
    } else read += char;
  }
  return 'a quote is never closed';
}

/** Bash leaves words of these characters unchanged. */
const PLAIN = /^[A-Za-z0-9_./:@%+,-]+$/;

/** A word, quoted for bash. */
export const shellQuoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
