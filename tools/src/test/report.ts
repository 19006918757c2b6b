// SPDX-License-Identifier: Apache-2.0
import type { FileOutcome, Results } from '../vitest/results.ts';
import { stateOf } from './tally.ts';

/** A failed test, or a file that could not be run. */
export interface Failure {
  /** relative to the checkout; null for errors outside of all files */
  readonly file: string | null;
  /** with the names of its suites; null for a file */
  readonly test: string | null;
  /** the beginning of the reason */
  readonly lines: readonly string[];
}

/** Enough for the expected and the received value; the rest is in the check's own output. */
const LINES_MAX = 15;

/** The number of slowest files in the report. */
const FILES_MAX = 20;

const beginningOf = (message: string): string[] =>
  message
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(0, LINES_MAX);

const testsOf = (results: readonly Results[]) =>
  results.flatMap(({ files }) => files).flatMap(({ file, tests }) => tests.map((test) => ({ file, ...test })));

/** All failures, for the end of the output: it is long, and a reader starts at its end. */
export const failuresOf = (results: readonly Results[]): Failure[] => [
  ...testsOf(results)
    .filter(({ file, ...test }) => stateOf(file, test) === 'failed')
    .map(({ file, name, errors }) => ({ file, test: name, lines: beginningOf(errors.join('\n')) })),
  ...results
    .flatMap(({ files }) => files)
    .filter(({ errors }) => errors.length > 0)
    .map(({ file, errors }) => ({ file, test: null, lines: beginningOf(errors.join('\n')) })),
  ...results.flatMap(({ errors }) => errors).map((error) => ({ file: null, test: null, lines: beginningOf(error) })),
];

/**
 * Tests that failed and passed on retry, with the first reason: each shows a defect of the test or of the tested code.
 */
export const retriedOf = (results: readonly Results[]): Failure[] =>
  testsOf(results)
    .filter(({ file, ...test }) => test.retried && stateOf(file, test) !== 'failed')
    .map(({ file, name, errors }) => ({ file, test: name, lines: beginningOf(errors.join('\n')) }));

/** The slowest files, slowest first. */
export const slowestFiles = (results: readonly Results[]): FileOutcome[] =>
  results
    .flatMap(({ files }) => files)
    .toSorted((a, b) => b.wallMs - a.wallMs)
    .slice(0, FILES_MAX);

/** The times of some files in milliseconds. Processor time includes the processes that the files started. */
export const timesOf = (files: readonly FileOutcome[]): { readonly wallMs: number; readonly processorMs: number } => ({
  wallMs: files.reduce((sum, { wallMs }) => sum + wallMs, 0),
  processorMs: files.reduce((sum, { processorMs }) => sum + (processorMs ?? 0), 0),
});
