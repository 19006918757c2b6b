// SPDX-License-Identifier: Apache-2.0
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { jestFiles, type JestFile } from './jest-results.ts';

/** A test that failed, or a whole file that could not be run. */
export interface Failure {
  /** relative to the checkout */
  readonly file: string;
  /** with the names of what it stands in; null for a file */
  readonly test: string | null;
  /** the beginning of the reason */
  readonly lines: readonly string[];
}

/** Enough for what was expected and what came; the rest stands where it happened. */
const LINES_MAX = 15;

/** All that failed, for the end of the output: it is long, and whoever reads a log reads its end first. */
export const failures = (checkout: string, results: readonly string[]): Failure[] =>
  jestFiles(results).filter(({ status }) => status === 'failed').flatMap((file) => failuresOf(file).map((failure) => ({ file: relative(checkout, file.name), ...failure })));

const failuresOf = ({ assertionResults, message }: JestFile): Omit<Failure, 'file'>[] => {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return [{ test: null, lines: beginningOf(message) }];
  return failed.map(({ fullName, failureMessages }) => ({ test: fullName, lines: beginningOf((failureMessages ?? []).join('\n')) }));
};

const beginningOf = (message: string): string[] =>
  stripVTControlCharacters(message).split('\n').map((line) => line.trimEnd()).filter((line) => line !== '').slice(0, LINES_MAX);
