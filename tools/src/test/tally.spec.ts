// SPDX-License-Identifier: Apache-2.0
import type { FileOutcome, TestOutcome } from '../vitest/results.ts';
import { add, closingLine, NONE, ONE_FAILED, tallyOf } from './tally.ts';

const outcome = (state: TestOutcome['state']): TestOutcome => ({ name: 'a test', state, retried: false, errors: [] });
const file = (states: readonly TestOutcome['state'][], errors: readonly string[] = []): FileOutcome => ({
  file: 'a.spec.ts',
  wallMs: 1,
  processorMs: 1,
  tests: states.map(outcome),
  errors,
});

test('passed, failed and skipped tests of all files are counted', () => {
  const files = [file(['passed', 'passed', 'failed']), file(['passed', 'skipped'])];
  expect(tallyOf({ files, errors: [] })).toEqual({ passed: 3, failed: 1, skipped: 1 });
});

test('a file that could not be run counts as one failed test', () => {
  expect(tallyOf({ files: [file([], ['no such module'])], errors: [] })).toEqual(ONE_FAILED);
});

test('a property that passes on retry counts as failed, and another test as passed', () => {
  const retried = (name: string): FileOutcome => ({
    ...file([]),
    file: name,
    tests: [{ ...outcome('passed'), retried: true }],
  });
  expect(tallyOf({ files: [retried('a.prop.spec.ts')], errors: [] })).toEqual(ONE_FAILED);
  expect(tallyOf({ files: [retried('a.spec.ts')], errors: [] })).toEqual({ passed: 1, failed: 0, skipped: 0 });
});

test('a file that was lost with its worker counts as one failed test', () => {
  expect(tallyOf({ files: [file([])], errors: [] })).toEqual(ONE_FAILED);
});

test('an error outside of all files counts as one failed test', () => {
  expect(tallyOf({ files: [file(['passed'])], errors: ['a worker ended'] })).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
  });
});

test('results that are missing count as one failed test', () => {
  expect(tallyOf(null)).toEqual(ONE_FAILED);
});

test('the closing line has skipped tests only when there are some', () => {
  expect(closingLine(NONE)).toBe('0 passed, 0 failed');
  expect(closingLine(add({ passed: 1, failed: 2, skipped: 3 }, ONE_FAILED))).toBe('1 passed, 3 failed, 3 skipped');
});
