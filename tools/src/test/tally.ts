// SPDX-License-Identifier: Apache-2.0
import type { FileOutcome, Results, TestOutcome } from '../vitest/results.ts';

/** How many tests ended how. */
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

/** A property draws its inputs anew each time, so passing at the second try says nothing of the input that failed. */
const stateOf = (file: string, { state, retried }: TestOutcome): TestOutcome['state'] =>
  retried && file.endsWith('.prop.spec.ts') ? 'failed' : state;

/**
 * A file that could not be run, or not to its end, counts as one failed test beside those that it had: one without any
 * test was lost with its worker.
 */
const tallyOfFile = ({ file, tests, errors }: FileOutcome): Tally => {
  const count = (state: string): number => tests.filter((test) => stateOf(file, test) === state).length;
  return {
    passed: count('passed'),
    failed: count('failed') + (errors.length > 0 || tests.length === 0 ? 1 : 0),
    skipped: count('skipped'),
  };
};

/** Counts what a run of specs did. Results that are missing are a failure: nothing that was to run may go missing. */
export const tallyOf = (results: Results | null): Tally =>
  results === null
    ? ONE_FAILED
    : [...results.files.map(tallyOfFile), ...results.errors.map(() => ONE_FAILED)].reduce(add, NONE);

/** The closing line, which a runner reads. */
export const closingLine = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
