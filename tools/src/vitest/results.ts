// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';

/** How one test ended. */
export interface TestOutcome {
  /** with the names of the suites that it stands in */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** failed at first, and passed when it ran again */
  readonly retried: boolean;
  /**
   * why it failed, each with what the reporter knows: of a test that passed at the second try, why the first one failed
   */
  readonly errors: readonly string[];
}

/** What one file of tests did. */
export interface FileOutcome {
  /** relative to the checkout */
  readonly file: string;
  /** milliseconds from its first hook to its last */
  readonly wallMs: number;
  /**
   * milliseconds of processor time, with that of the processes which the file started and waited for; null where the
   * file did not end by itself
   */
  readonly processorMs: number | null;
  readonly tests: readonly TestOutcome[];
  /** why the file could not be run, or not to its end */
  readonly errors: readonly string[];
}

/** What a run of specs leaves in its results file. */
export interface Results {
  readonly files: readonly FileOutcome[];
  /** errors that belong to no file, as of a worker that crashed */
  readonly errors: readonly string[];
}

const isResults = (value: unknown): value is Results =>
  typeof value === 'object' &&
  value !== null &&
  'files' in value &&
  Array.isArray(value.files) &&
  'errors' in value &&
  Array.isArray(value.errors);

/**
 * Reads a results file. Null where the run left none or broke off while it wrote: nothing that was to run may then
 * count as passed.
 */
export const readResults = (path: string): Results | null => {
  if (!existsSync(path)) return null;
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isResults(value) ? value : null;
  } catch {
    return null;
  }
};
