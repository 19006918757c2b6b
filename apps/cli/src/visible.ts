// SPDX-License-Identifier: Apache-2.0

/**
 * Characters that control a terminal or deceive the reader: control characters except newline and tab, and characters
 * that reorder or hide text. The text of an approval is attacker-controlled.
 */
const DECEIVING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text that is safe to show: such characters become `\u{1b}` and the like. */
export const visible = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(DECEIVING, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);

/** Text that is safe to show, on one line. */
export const visibleLine = (text: string): string => visible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
