// SPDX-License-Identifier: Apache-2.0

/** Long enough to recognise a name or id. */
const SHOWN_CHARS = 64;
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff`]/gu;

/** Attacker-controlled text for a message: truncated, without line ends and control characters, in backticks. */
export function quoted(text: string): string {
  const clean = text.slice(0, SHOWN_CHARS).replace(UNPRINTABLE, '?');
  return `\`${clean}${text.length > SHOWN_CHARS ? '…' : ''}\``;
}

const NOT_OF_AN_ID = /[^A-Za-z0-9._:-]/g;

/** An invalid id of a call in a form that is safe in a line; null for an empty one. */
export function idLike(text: string): string | null {
  const like = text.trim().slice(0, SHOWN_CHARS).replace(NOT_OF_AN_ID, '_');
  return like === '' ? null : like;
}

/** The text, or its beginning and a notice of the truncation. A surrogate pair is never split. */
export function truncated(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const half = charsMax > 0 && (text.charCodeAt(charsMax - 1) & 0xfc00) === 0xd800;
  const head = text.slice(0, half ? charsMax - 1 : charsMax);
  return `${head}\n… [${text.length - head.length} of ${text.length} characters cut]`;
}
