// SPDX-License-Identifier: Apache-2.0
import type { FileOutcome, Results, TestOutcome } from '../vitest/results.ts';

/** Numbers of tests by result. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const NONE: Tally = { passed: 0, failed: 0, skipped: 0 };
export const ONE_PASSED: Tally = { ...NONE, passed: 1 };
export const ONE_FAILED: Tally = { ...NONE, failed: 1 };

export const add = (a: Tally, b: Tally): Tally => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

/**
 * The state that counts. A property chooses new inputs each time, so a passed retry shows nothing about the failed
 * input.
 */
export const stateOf = (file: string, { state, retried }: TestOutcome): TestOutcome['state'] =>
  retried && file.endsWith('.prop.spec.ts') ? 'failed' : state;

/**
 * A file that could not be run, or not to its end, counts as one failed test in addition: one without any test was lost
 * with its worker.
 */
const tallyOfFile = ({ file, tests, errors }: FileOutcome): Tally => {
  const count = (state: string): number => tests.filter((test) => stateOf(file, test) === state).length;
  return {
    passed: count('passed'),
    failed: count('failed') + (errors.length > 0 || tests.length === 0 ? 1 : 0),
    skipped: count('skipped'),
  };
};

/** Counts the results of a run of specs. Missing results are a failure, so that no spec is skipped unnoticed. */
export const tallyOf = (results: Results | null): Tally =>
  results === null
    ? ONE_FAILED
    : [...results.files.map(tallyOfFile), ...results.errors.map(() => ONE_FAILED)].reduce(add, NONE);

/** The closing line, which other programs parse. */
export const closingLine = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
