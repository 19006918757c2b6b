// SPDX-License-Identifier: Apache-2.0
import { RE2JS } from 're2js';

/**
 * Limit on the instructions of a compiled expression: matching takes time in proportion to the value's length times
 * the expression's.
 */
const PROGRAM_MAX = 1_000;
/** An expression is compiled before its size is known, so its text is bounded too. */
const CHARS_MAX = 1_024;

/** The problem with an expression, or null. */
export function patternFault(pattern: string): string | null {
  if (pattern.length > CHARS_MAX) return `it has more than ${CHARS_MAX} characters`;
  try {
    return RE2JS.compile(pattern).programSize() > PROGRAM_MAX ? 'it is larger than may be matched' : null;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it does not compile';
  }
}

/** A compiled expression, and the number of its instructions. */
export interface Expression {
  readonly test: (value: string) => boolean;
  readonly size: number;
}

/** Compiles an expression that has no fault. */
export function expressionOf(pattern: string): Expression {
  const compiled = RE2JS.compile(pattern);
  return { test: (value) => compiled.test(value), size: compiled.programSize() };
}
