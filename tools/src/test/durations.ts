// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** How long one file of tests took, its set-up included. */
export interface FileDuration {
  /** relative to the checkout */
  readonly file: string;
  readonly ms: number;
}

/** The fields of jest's `--json` output that say when a file ran: epoch milliseconds. */
interface JestFiles {
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
}

/** As many as are worth a look when the whole takes too long. */
const FILES_MAX = 20;

/**
 * The files that took longest, slowest first: where to look when the whole takes too long.
 *
 * @param results results of jest; one that isn't there, or broke off, tells nothing here and fails its check elsewhere
 */
export const slowestFiles = (checkout: string, results: readonly string[]): FileDuration[] =>
  results.filter((path) => existsSync(path)).flatMap((path) => filesOf(checkout, readFileSync(path, 'utf8')))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, FILES_MAX);

const filesOf = (checkout: string, text: string): FileDuration[] => {
  try {
    const { testResults } = JSON.parse(text) as JestFiles;
    return testResults.map(({ name, startTime, endTime }) => ({ file: relative(checkout, name), ms: endTime - startTime }));
  } catch {
    return [];
  }
};
