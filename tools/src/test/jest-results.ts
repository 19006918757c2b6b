// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';

/** What jest's `--json` output says of one file of tests. */
export interface JestFile {
  /** absolute path */
  readonly name: string;
  /** epoch milliseconds */
  readonly startTime: number;
  readonly endTime: number;
  readonly status: string;
  /** why the file failed, as jest prints it */
  readonly message: string;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string; readonly failureMessages: readonly string[] | null }[];
}

/** The files of all results; a results file that isn't there, or broke off, tells nothing here and fails its check elsewhere. */
export const jestFiles = (results: readonly string[]): JestFile[] => results.filter((path) => existsSync(path)).flatMap((path) => filesOf(readFileSync(path, 'utf8')));

const filesOf = (text: string): readonly JestFile[] => {
  try {
    return (JSON.parse(text) as { testResults: readonly JestFile[] }).testResults;
  } catch {
    return [];
  }
};
