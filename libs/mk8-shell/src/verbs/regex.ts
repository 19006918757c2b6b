// SPDX-License-Identifier: Apache-2.0
import { RE2JS, type Matcher } from 're2js';
import { compiledExpression, regexFault } from '../registry/expressions.ts';
import { refused } from '../run/step-error.ts';

type AnyCase = 'any case' | 'as written';

/**
 * A compiled expression, which matches in time linear in text and expression.
 * @throws StepError
 */
export function expressionOf(pattern: string, how: AnyCase = 'as written'): RE2JS {
  const fault = regexFault(pattern);
  if (fault !== null) throw refused(`\`${pattern.slice(0, 64)}\` ${fault}`);
  return compiledExpression(pattern, how === 'any case' ? RE2JS.CASE_INSENSITIVE : 0);
}

/**
 * Answers whether texts contain a match. The time is checked after each text, since a single match is bounded by the
 * sizes of text and expression.
 */
export function finder(pattern: string, checkTime: () => void, how: AnyCase = 'as written'): (text: string) => boolean {
  const expression = expressionOf(pattern, how);
  return (text) => {
    checkTime();
    return expression.matcher(text).find();
  };
}

/**
 * The matches one by one, up to a maximum. All of them are the same object, which changes with each step of the
 * iteration.
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
