// SPDX-License-Identifier: Apache-2.0
//
// Words of a command that no shell will read. INVARIANT (what bash would have said, or nothing): a text is split only
// where bash would split it into the very same words; whatever bash would do more with, an expansion, an operator, a
// pattern, a comment, is a problem and never taken as text.

/** The words, or what keeps the text from being only words. */
export type ShellWords =
  { readonly words: readonly string[]; readonly problem: null } | { readonly words: null; readonly problem: string };

/** Outside of quotes these do something, wherever they stand. */
const ACTS = new Set('|&;<>()$`*?[]\n\r');
/** At the beginning of a word these do something. */
const ACTS_FIRST = new Set('~#');
/** After a backslash within double quotes only these lose what they mean. */
const ESCAPED_IN_DOUBLE = new Set('$`"\\');

/** Splits a command into its words, in linear time. Total: any text has words or a problem. */
export function shellWords(text: string): ShellWords {
  const words: string[] = [];
  // null between words; a quoted empty word is one all the same
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
      // Bash reads `a{b,c}` and `{1..3}` as several words, and `x=~` and `x:~` as a path: rare enough to be left out.
      if (char === '{' || char === '}') return problem('braces may mean something to a shell: quote them');
      if (char === '~' && /[=:]$/.test(word ?? '')) return problem('"~" means something to a shell there: quote it');
      word = (word ?? '') + char;
      at += 1;
    }
  }
  if (word !== null) words.push(word);
  return { words, problem: null };
}

/** What stands between double quotes from there on, and where they end; or, in words, why it is no plain text. */
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

/** Words of these characters mean themselves to bash. */
const PLAIN = /^[A-Za-z0-9_./:@%+,-]+$/;

/** A word as bash has to be told it. */
export const shellQuoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
