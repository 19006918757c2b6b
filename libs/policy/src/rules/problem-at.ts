// SPDX-License-Identifier: Apache-2.0
import type { PolicyProblem } from '../problems.ts';

/** A problem of the rules' text at an offset, with line and column from 1. */
export function problemAt(source: string, at: number, message: string, help: string): PolicyProblem {
  const before = source.slice(0, at).split('\n');
  return { pointer: '/cedar', line: before.length, column: (before.at(-1) as string).length + 1, message, help };
}
