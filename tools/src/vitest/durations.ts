// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';
import type { Results } from './results.ts';

/**
 * Milliseconds of each file at its last measurement, by path relative to the checkout. `npm test -- --keep-durations`
 * saves them.
 */
const FILE = new URL('durations.json', import.meta.url);

/** Durations are rounded to this, so that similar runs change little. A shorter file is not in the list. */
const ROUNDED_TO_MS = 1_000;

const readDurations = (): Readonly<Record<string, number>> =>
  JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>;

const KNOWN = readDurations();

/** The duration of a file. Most files outside of the list are short, and few are new. */
export const durationOf = (file: string): number => KNOWN[file] ?? ROUNDED_TO_MS;

/** Saves the durations of files, and keeps those of others. */
export const keepDurations = (results: readonly Results[]): void => {
  const seen = results
    .flatMap(({ files }) => files)
    .map(({ file, wallMs }) => [file, Math.round(wallMs / ROUNDED_TO_MS) * ROUNDED_TO_MS] as const);
  const all = Object.entries({ ...readDurations(), ...Object.fromEntries(seen) })
    .filter(([, ms]) => ms > ROUNDED_TO_MS)
    .toSorted(([a], [b]) => a.localeCompare(b));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(all), null, 1)}\n`);
};
