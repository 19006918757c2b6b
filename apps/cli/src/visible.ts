// SPDX-License-Identifier: Apache-2.0

/**
 * What would steer a terminal or deceive the eye: control characters but newline and tab, and characters that reorder
 * or hide text. What a person is shown before an approval is attacker-controlled.
 */
const DECEIVING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text as it is safe to show: such characters stand as `\u{1b}`. */
export const visible = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(DECEIVING, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);

/** The same on one line. */
export const visibleLine = (text: string): string => visible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
