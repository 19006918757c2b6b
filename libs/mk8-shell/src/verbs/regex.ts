// SPDX-License-Identifier: Apache-2.0
import { RE2JS, type Matcher } from 're2js';
import { compiledExpression, regexFault } from '../registry/expressions.ts';
import { refused } from '../run/step-error.ts';

type AnyCase = 'any case' | 'as written';

/** A compiled expression, matched in time linear in text and expression. @throws StepError */
export function expressionOf(pattern: string, how: AnyCase = 'as written'): RE2JS {
  const fault = regexFault(pattern);
  if (fault !== null) throw refused(`\`${pattern.slice(0, 64)}\` ${fault}`);
  return compiledExpression(pattern, how === 'any case' ? RE2JS.CASE_INSENSITIVE : 0);
}

/**
 * Answers whether texts hold a match; time is asked after each, since one is bounded by the size of text and
 * expression.
 */
export function finder(pattern: string, checkTime: () => void, how: AnyCase = 'as written'): (text: string) => boolean {
  const expression = expressionOf(pattern, how);
  return (text) => {
    checkTime();
    return expression.matcher(text).find();
  };
}

/**
 * Each match in turn, until there are so many. It is one object, which says the next match as soon as that is asked
 * for.
 */
export function* matchesOf(
  text: string,
  pattern: string,
  checkTime: () => void,
  max = Number.POSITIVE_INFINITY,
): Generator<Matcher> {
  const matcher = expressionOf(pattern).matcher(text);
  for (let n = 0; n < max && matcher.find(); n++) {
    checkTime();
    yield matcher;
  }
}
