// SPDX-License-Identifier: Apache-2.0
import type { FileOutcome, Results } from '../vitest/results.ts';

/** A test that failed, or a whole file that could not be run. */
export interface Failure {
  /** relative to the checkout; null for what belongs to no file */
  readonly file: string | null;
  /** with the names of what it stands in; null for a file */
  readonly test: string | null;
  /** the beginning of the reason */
  readonly lines: readonly string[];
}

/** Enough for what was expected and what came; the rest stands where it happened. */
const LINES_MAX = 15;

/** As many files as are worth a look when the whole takes too long. */
const FILES_MAX = 20;

const beginningOf = (message: string): string[] =>
  message
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(0, LINES_MAX);

const testsOf = (results: readonly Results[]) =>
  results.flatMap(({ files }) => files).flatMap(({ file, tests }) => tests.map((test) => ({ file, ...test })));

/** All that failed, for the end of the output: it is long, and whoever reads a log reads its end first. */
export const failuresOf = (results: readonly Results[]): Failure[] => [
  ...testsOf(results)
    .filter(({ state }) => state === 'failed')
    .map(({ file, name, errors }) => ({ file, test: name, lines: beginningOf(errors.join('\n')) })),
  ...results
    .flatMap(({ files }) => files)
    .filter(({ errors }) => errors.length > 0)
    .map(({ file, errors }) => ({ file, test: null, lines: beginningOf(errors.join('\n')) })),
  ...results.flatMap(({ errors }) => errors).map((error) => ({ file: null, test: null, lines: beginningOf(error) })),
];

/**
 * Tests that failed and passed when they ran again, with the reason of the first time: each is a defect, of the test or
 * of what it tests.
 */
export const retriedOf = (results: readonly Results[]): Failure[] =>
  testsOf(results)
    .filter(({ retried }) => retried)
    .map(({ file, name, errors }) => ({ file, test: name, lines: beginningOf(errors.join('\n')) }));

/** The files that took longest, slowest first: where to look when the whole takes too long. */
export const slowestFiles = (results: readonly Results[]): FileOutcome[] =>
  results
    .flatMap(({ files }) => files)
    .toSorted((a, b) => b.wallMs - a.wallMs)
    .slice(0, FILES_MAX);

/**
 * Where the time of some files went. Milliseconds; processor time counts what the files and the processes that they
 * started used.
 */
export const timesOf = (files: readonly FileOutcome[]): { readonly wallMs: number; readonly processorMs: number } => ({
  wallMs: files.reduce((sum, { wallMs }) => sum + wallMs, 0),
  processorMs: files.reduce((sum, { processorMs }) => sum + (processorMs ?? 0), 0),
});
