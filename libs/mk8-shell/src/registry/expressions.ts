// SPDX-License-Identifier: Apache-2.0
import { RE2JS } from 're2js';
import { VERB_LIMITS } from '../limits.ts';

/**
 * As many as a script may use in turn; the sizes below bound each. Scripts repeat expressions, and each is checked
 * before it is used.
 */
const KEPT_MAX = 64;
const PATTERN_CHARS_MAX = 1000;
const kept = new Map<string, RE2JS>();

/**
 * A compiled expression, cached by recent use.
 * @throws Error of RE2JS for an invalid one
 */
export function compiledExpression(pattern: string, flags = 0): RE2JS {
  const key = `${flags} ${pattern}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const expression = RE2JS.compile(pattern, flags);
  if (pattern.length > PATTERN_CHARS_MAX || expression.programSize() > VERB_LIMITS.regexProgram) return expression;
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value ?? '');
  kept.set(key, expression);
  return expression;
}

/** Why an expression can't be matched in linear time within bounds, or null. */
export function regexFault(pattern: string): string | null {
  if (pattern.length > PATTERN_CHARS_MAX) return `must be an expression of at most ${PATTERN_CHARS_MAX} characters`;
  try {
    return compiledExpression(pattern).programSize() > VERB_LIMITS.regexProgram
      ? 'is an expression that is larger than may be matched'
      : null;
  } catch (error) {
    return `is no regular expression of RE2: ${error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it does not compile'}`;
  }
}
