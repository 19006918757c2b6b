// SPDX-License-Identifier: Apache-2.0
import { relative } from 'node:path';
import { jestFiles } from './jest-results.ts';

/** How long one file of tests took, its set-up included. */
export interface FileDuration {
  /** relative to the checkout */
  readonly file: string;
  readonly ms: number;
}

/** As many as are worth a look when the whole takes too long. */
const FILES_MAX = 20;

/** The files that took longest, slowest first: where to look when the whole takes too long. */
export const slowestFiles = (checkout: string, results: readonly string[]): FileDuration[] =>
  jestFiles(results).map(({ name, startTime, endTime }) => ({ file: relative(checkout, name), ms: endTime - startTime }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, FILES_MAX);
