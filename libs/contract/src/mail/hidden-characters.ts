// SPDX-License-Identifier: Apache-2.0
// Characters that a person who reviews a text does not see, or that make them see another text than is stored.

/**
 * Overrides, embeddings and isolates of direction show letters in another order than they have. Tags and the variation
 * selectors of that plane are invisible, and carry any text.
 */
const DECEPTIVE = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]/u;

const JOINED_SCRIPTS = [
  ...['Arabic', 'Syriac', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu'],
  ...['Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Mongolian'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');

/** Where spelling needs a joiner, and where one makes a picture of several. */
const NEEDED = new RegExp(
  [
    `(?<=[${JOINED_SCRIPTS}])[\\u200c\\u200d](?=[${JOINED_SCRIPTS}])`,
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    '(?<=\\p{Emoji})\\ufe0f',
  ].join('|'),
  'gu',
);
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** The first character of a body that is not shown as it is stored: `U+202E`. Null: there is none. */
export const hiddenInBody = (text: string): string | null => named(DECEPTIVE.exec(text));

/** As in a body, and any other invisible one that spelling doesn't need: a subject is a line that is looked at. */
export const hiddenInSubject = (text: string): string | null => named(INVISIBLE.exec(text.replace(NEEDED, '')));

const named = (found: RegExpExecArray | null): string | null =>
  found === null ? null : `U+${(found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
