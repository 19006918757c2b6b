// SPDX-License-Identifier: Apache-2.0

const SECOND_MS = 1_000;

/** The paths of a field, one a line. Blanks within a path belong to it. */
export const pathsOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** A whole number of a field; null: the field is empty. Undefined: it has something else. */
export function wholeOf(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** Milliseconds of a field of seconds; null: empty. Undefined: it has something else. */
export function msOf(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return /^\d{1,9}(\.\d{1,3})?$/.test(trimmed) ? Math.round(Number(trimmed) * SECOND_MS) : undefined;
}

export const secondsText = (ms: number | null): string => (ms === null ? '' : String(ms / SECOND_MS));
export const wholeText = (whole: number | null): string => (whole === null ? '' : String(whole));
