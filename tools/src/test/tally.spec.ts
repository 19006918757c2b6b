// SPDX-License-Identifier: Apache-2.0
import { add, closingLine, NONE, ONE_FAILED, tallyOf } from './tally.ts';

const results = (numbers: Record<string, number>): string => JSON.stringify({
  numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, numRuntimeErrorTestSuites: 0, ...numbers,
});

test('passed, failed and skipped are counted', () => {
  expect(tallyOf(results({ numPassedTests: 3, numFailedTests: 1, numPendingTests: 1, numTodoTests: 1 }))).toEqual({ passed: 3, failed: 1, skipped: 2 });
});

test('a file that could not be run counts as failed', () => {
  expect(tallyOf(results({ numPassedTests: 3, numRuntimeErrorTestSuites: 2 }))).toEqual({ passed: 3, failed: 2, skipped: 0 });
});

test.each([undefined, '', '{"numPassedTests":', '{}', 'null', '[]'])('results that are not there (%j) count as a failure', (text) => {
  expect(tallyOf(text)).toEqual(ONE_FAILED);
});

test('the closing line names skipped tests only when there are some', () => {
  expect(closingLine(NONE)).toBe('0 passed, 0 failed');
  expect(closingLine(add({ passed: 1, failed: 2, skipped: 3 }, ONE_FAILED))).toBe('1 passed, 3 failed, 3 skipped');
});
