// SPDX-License-Identifier: Apache-2.0

/** Characters of a hostile text that a message shows: enough to recognise it. */
const SHOWN_MAX = 120;

/**
 * A caller's text in backticks, safe for a message, a log and a terminal: truncated, with unprintable characters
 * escaped.
 */
export function quote(text: string): string {
  const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
  const escaped = shown.replace(
    /[\p{C}\p{Zl}\p{Zp}`]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return `\`${escaped}\``;
}
