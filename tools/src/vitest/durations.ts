// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';
import type { Results } from './results.ts';

/**
 * Milliseconds that files took when they were measured last, by their paths relative to the checkout. Kept by `npm test
 * -- --keep-durations`.
 */
const FILE = new URL('durations.json', import.meta.url);

/**
 * Durations are rounded to so much, so that a run like the last one changes little. A file that takes no more is not in
 * the list.
 */
const ROUNDED_TO_MS = 1_000;

const readDurations = (): Readonly<Record<string, number>> =>
  JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>;

const KNOWN = readDurations();

/** How long a file takes. Most of those that are not in the list are short, and few are new. */
export const durationOf = (file: string): number => KNOWN[file] ?? ROUNDED_TO_MS;

/** Writes down how long files took, beside what is known of the others. */
export const keepDurations = (results: readonly Results[]): void => {
  const seen = results
    .flatMap(({ files }) => files)
    .map(({ file, wallMs }) => [file, Math.round(wallMs / ROUNDED_TO_MS) * ROUNDED_TO_MS] as const);
  const all = Object.entries({ ...readDurations(), ...Object.fromEntries(seen) })
    .filter(([, ms]) => ms > ROUNDED_TO_MS)
    .toSorted(([a], [b]) => a.localeCompare(b));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(all), null, 1)}\n`);
};
