// SPDX-License-Identifier: Apache-2.0

/** How many tests ended how. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const NONE: Tally = { passed: 0, failed: 0, skipped: 0 };
export const ONE_PASSED: Tally = { ...NONE, passed: 1 };
export const ONE_FAILED: Tally = { ...NONE, failed: 1 };

export const add = (a: Tally, b: Tally): Tally => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped });

/** The fields of jest's `--json` output that are counted. */
interface JestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  /** Files that could not be run at all: their tests are in no other number. */
  readonly numRuntimeErrorTestSuites: number;
}

/** Counts a results file of jest. Text that is not one, as after a crash, is a failure: nothing that was to run may go missing. */
export const tallyOf = (text: string | undefined): Tally => {
  if (text === undefined) return ONE_FAILED;
  try {
    const results = JSON.parse(text) as JestResults;
    const tally = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    return Object.values(tally).every(Number.isInteger) ? tally : ONE_FAILED;
  } catch {
    return ONE_FAILED;
  }
};

/** The closing line, which a runner reads. */
export const closingLine = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
