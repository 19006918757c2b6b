// SPDX-License-Identifier: Apache-2.0

/*
 * An unknown part of a text is a character of the private use area, so that it survives concatenation, quoting and
 * parsing as a nested script. A command that contains such a character merely counts as partly unknown.
 */

/** A value set while the command runs: output of a program, an argument, a line that was read. */
export const UNKNOWN = '\uE000';
/** A variable that nothing sets. The environment of a call is a short list, so this is most likely empty. */
export const UNSET = '\uE001';
/** Content that came over the network. */
export const DOWNLOADED = '\uE002';

/** A `*` that stays a pattern when quoted: one of the names in a loop over an expanded pattern. */
export const ANY_NAME = '\uE003';

/** A secret: the environment, a file of keys, a variable that is named after one. */
export const SECRET = '\uE004';

/**
 * A literal number of any value: a count, or a number that the shell itself sets. No number is a dangerous word, so a
 * text with one in it is as good as known.
 */
export const NUMBER = '\uE005';

/** Answers whether the text is a literal number, whose evaluation changes nothing. */
export const isNumber = (text: string): boolean =>
  /^\s*[-+]?(?:0[xX][0-9a-fA-F]+|\d{1,2}#[\w@]+|[\d\uE005]+)\s*$/.test(text);

/** The value of a secret that the command was given: any text at all. */
export const GIVEN = '\uE006';

const MARKERS = /[\uE000-\uE002\uE004\uE006]/g;

/** A word after expansion, as a program gets it. */
export interface Field {
  readonly text: string;
  /** whether it contains an unquoted `*`, `?` or `[` */
  readonly glob: boolean;
  /** the content that is read through it, if it is a process substitution */
  readonly source?: Source;
}

/** The output of a command, or its input, as far as it is known. */
export type Source =
  | { readonly kind: 'nothing' }
  /** known text; `decoded` if it was hidden in an encoding */
  | { readonly kind: 'text'; readonly text: string; readonly decoded: boolean }
  /** names of files, one a line, some as patterns */
  | { readonly kind: 'paths'; readonly paths: readonly Field[] }
  | { readonly kind: 'downloaded' }
  /** the environment, or the content of a file of keys, and everything derived from it */
  | { readonly kind: 'secret' }
  /** endless text, such as that of `yes` or `/dev/zero` */
  | { readonly kind: 'endless' }
  | { readonly kind: 'unknown' };

export const field = (text: string, glob = false): Field => ({ text, glob });

/** A pattern as the text of one of the names that match it. */
export const nameOf = ({ text, glob }: Field): string => (glob ? text.replace(/[*?]/g, ANY_NAME) : text);

/** Answers whether the text is known to the last character. */
export const isExact = (text: string): boolean => text.search(MARKERS) < 0;

/** The text up to its first unknown part. */
export const knownStart = (text: string): string => (isExact(text) ? text : text.slice(0, text.search(MARKERS)));

/** The text without its unknown parts. */
export const withoutMarkers = (text: string): string => text.replace(MARKERS, '');

/** Characters of which a message shows the first 80. */
const SHOWN_FROM = 160;

/** The text for a message: unknown parts as `…`, no line breaks, and short. */
export function shown(text: string): string {
  // Control characters in an attacker's text must not reach a terminal. The rest of a long text is not processed.
  const flat = text
    .slice(0, SHOWN_FROM)
    .replace(MARKERS, '…')
    .replaceAll(NUMBER, '…')
    .replaceAll(ANY_NAME, '*')
    .replace(/[\x00-\x1f\x7f`]/g, ' ');
  return flat.length > 80 ? `${flat.slice(0, 79)}…` : flat;
}
