// SPDX-License-Identifier: Apache-2.0

/*
 * What can't be known stands in a text as a character of the private use area, so that it survives concatenation,
 * quoting and being parsed again as a nested script. A command that contains one of them itself is merely taken to hold
 * something unknown.
 */

/** Something set while the command runs: output of a program, an argument, a line that was read. */
export const UNKNOWN = '\uE000';
/** A variable that nothing sets. The environment of a call is a short list, so this is most likely nothing at all. */
export const UNSET = '\uE001';
/** Content that came over the network. */
export const DOWNLOADED = '\uE002';

/**
 * A `*` that stays a pattern when quoted: one of the names that a loop went through, where the shell had expanded it.
 */
export const ANY_NAME = '\uE003';

/** What is kept secret: the environment, a file of keys, a variable that is named after one. */
export const SECRET = '\uE004';

/**
 * A literal number, whichever it is: what counts something, or what the shell itself sets. No number is a dangerous
 * word, so a text with one in it is as good as known.
 */
export const NUMBER = '\uE005';

/** Answers whether the text is a literal number, which means the same wherever it is evaluated. */
export const isNumber = (text: string): boolean =>
  /^\s*[-+]?(?:0[xX][0-9a-fA-F]+|\d{1,2}#[\w@]+|[\d\uE005]+)\s*$/.test(text);

/** The value of a secret that the command was given: any text at all. */
export const GIVEN = '\uE006';

const MARKERS = /[\uE000-\uE002\uE004\uE006]/g;

/** A word after expansion, as a program gets it. */
export interface Field {
  readonly text: string;
  /** whether an unquoted `*`, `?` or `[` stands in it */
  readonly glob: boolean;
  /** what is read through it, if it is a process substitution */
  readonly source?: Source;
}

/** What a command writes to its output, or finds on its input, as far as it can be told. */
export type Source =
  | { readonly kind: 'nothing' }
  /** known text; `decoded` if it was hidden in an encoding */
  | { readonly kind: 'text'; readonly text: string; readonly decoded: boolean }
  /** names of files, one a line, some as patterns */
  | { readonly kind: 'paths'; readonly paths: readonly Field[] }
  | { readonly kind: 'downloaded' }
  /** the environment, or what stands in a file of keys; whatever is made of it */
  | { readonly kind: 'secret' }
  /** text without end, as of `yes` or `/dev/zero` */
  | { readonly kind: 'endless' }
  | { readonly kind: 'unknown' };

export const field = (text: string, glob = false): Field => ({ text, glob });

/** A pattern as the text of one of the names that match it. */
export const nameOf = ({ text, glob }: Field): string => (glob ? text.replace(/[*?]/g, ANY_NAME) : text);

/** Answers whether the text is known to the last character. */
export const isExact = (text: string): boolean => text.search(MARKERS) < 0;

/** The text up to what isn't known. */
export const knownStart = (text: string): string => (isExact(text) ? text : text.slice(0, text.search(MARKERS)));

/** The text with what is unknown left out. */
export const withoutMarkers = (text: string): string => text.replace(MARKERS, '');

/** Characters of which a message shows the first 80. */
const SHOWN_FROM = 160;

/** The text as a message shows it: what is unknown as `…`, no line breaks, and short. */
export function shown(text: string): string {
  // Control characters of an attacker's text mustn't reach a terminal. What isn't shown needn't be looked at.
  const flat = text
    .slice(0, SHOWN_FROM)
    .replace(MARKERS, '…')
    .replaceAll(NUMBER, '…')
    .replaceAll(ANY_NAME, '*')
    .replace(/[\x00-\x1f\x7f`]/g, ' ');
  return flat.length > 80 ? `${flat.slice(0, 79)}…` : flat;
}
