// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';

/** The result of one test. */
export interface TestOutcome {
  /** with the names of its suites */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** whether it failed at first, and passed on retry */
  readonly retried: boolean;
  /** the failures as the reporter formats them; of a test that passed on retry, those of the first try */
  readonly errors: readonly string[];
}

/** The results of one file of tests. */
export interface FileOutcome {
  /** relative to the checkout */
  readonly file: string;
  /** milliseconds from its first hook to its last */
  readonly wallMs: number;
  /**
   * milliseconds of processor time, with that of processes which the file started and waited for; null where the file
   * did not end by itself
   */
  readonly processorMs: number | null;
  readonly tests: readonly TestOutcome[];
  /** why the file could not be run, or not to its end */
  readonly errors: readonly string[];
}

/** The content of a results file. */
export interface Results {
  readonly files: readonly FileOutcome[];
  /** errors outside of all files, such as a crashed worker */
  readonly errors: readonly string[];
}

const isResults = (value: unknown): value is Results =>
  typeof value === 'object' &&
  value !== null &&
  'files' in value &&
  Array.isArray(value.files) &&
  'errors' in value &&
  Array.isArray(value.errors);

/** Reads a results file. Null where the run left none or an incomplete one: then no test may count as passed. */
export const readResults = (path: string): Results | null => {
  if (!existsSync(path)) return null;
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isResults(value) ? value : null;
  } catch {
    return null;
  }
};
