// SPDX-License-Identifier: Apache-2.0
// The words of messages about values that don't fit. They repeat the schema, never the value.

/** Longest part of an author's description that a message repeats. */
const DESCRIPTION_MAX = 200;

/** An expression tells most people nothing: the author's description of the text says what is meant. */
export function formText({ description }: Readonly<Record<string, unknown>>): string {
  const words = typeof description === 'string' ? description.replaceAll(/\s+/g, ' ').slice(0, DESCRIPTION_MAX) : '';
  return `does not have the form that its schema gives${words === '' ? '' : `; expected: ${words}`}`;
}

/** So many values of a list are shown: enough to choose from, and few enough to read. */
const SHOWN_MAX = 32;
const SHOWN_CHARS_MAX = 64;

/** A value of the schema, which is no secret. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return `\`${text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text}\``;
}

export const shortList = (texts: readonly unknown[], separator: string): string =>
  `${texts.slice(0, SHOWN_MAX).join(separator)}${texts.length > SHOWN_MAX ? `${separator}…` : ''}`;
