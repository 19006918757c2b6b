// SPDX-License-Identifier: Apache-2.0
// Texts of agents, tools and files are attacker-controlled. INVARIANT (seen as it is): no character that a reader
// doesn't see, or that changes where others are shown, reaches the page; each is shown by its code instead.

/** A piece of a text: characters as they are, or the code of one that would not be seen. */
export type Piece = { readonly text: string } | { readonly code: string };

/**
 * Control characters but tab and line feed; format characters, among which are those of bidirectional text (Trojan
 * Source, CVE-2021-42574) and of zero width; lone surrogates; private use; line separators; blanks that look like a
 * space and are none; letters that fill no space; tags and variation selectors, which can carry hidden texts.
 */
export const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\u034F\u115F\u1160\u17B4\u17B5\u3164\uFFA0\uFE00-\uFE0E\u{E0100}-\u{E01EF}]/u;
const SEEN_CONTROLS = new Set(['\t', '\n']);

/** The pieces of a text, in order. */
export function piecesOf(text: string): readonly Piece[] {
  if (!UNSEEN.test(text)) return text === '' ? [] : [{ text }];
  const pieces: Piece[] = [];
  let plain = '';
  for (const character of text) {
    if (!UNSEEN.test(character) || SEEN_CONTROLS.has(character)) {
      plain += character;
      continue;
    }
    if (plain !== '') pieces.push({ text: plain });
    plain = '';
    pieces.push({ code: codeOf(character) });
  }
  if (plain !== '') pieces.push({ text: plain });
  return pieces;
}

/** The same as a plain text, for titles and names that are read aloud. */
export const visibleText = (text: string): string =>
  piecesOf(text)
    .map((piece) => ('text' in piece ? piece.text : `[${piece.code}]`))
    .join('');

export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
