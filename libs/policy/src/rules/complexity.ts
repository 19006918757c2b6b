// SPDX-License-Identifier: Apache-2.0
import type { PolicyProblem } from '../problems.ts';
import { problemAt } from './problem-at.ts';

/*
 * A rule's text is its tenant's, and Cedar's reader, validator and evaluator follow an expression by recursion on a
 * stack of 1 MiB that WebAssembly doesn't grow. What overflows it ends not a call but the whole instance, for every
 * tenant of the process: some 110 nested brackets, 350 operators in a chain, 1,200 accesses in a row. INVARIANT
 * (bounded before Cedar): no text reaches Cedar that comes near, taken together.
 */
export const RULE_LIMITS = { nesting: 16, operators: 128, accesses: 128 } as const;

/**
 * Strings and comments first, so that their contents aren't counted; then the tokens by which an expression nests or
 * continues.
 */
const TOKENS = /"(?:\\[\s\S]|[^"\\])*("?)|\/\/[^\n]*|&&|\|\||[-+*]|[()[\]{}.;]|\b(?:if|when|unless)\b/g;

/** Where rules exceed the limits, one problem per rule. */
export function complexityProblems(source: string): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  let rule = { nesting: 0, operators: 0, accesses: 0, told: false };
  for (const { 0: token, 1: end, index } of source.matchAll(TOKENS)) {
    // Cedar's parser ends there too; the rest can't be counted.
    if (end === '') return [...problems, problemAt(source, index, 'the string has no end', 'close it with `"`')];
    if (token === ';') rule = { nesting: 0, operators: 0, accesses: 0, told: false };
    else if (token.startsWith('"') || token.startsWith('//')) continue;
    else if ('([{'.includes(token)) rule.nesting += 1;
    else if (')]}'.includes(token)) rule.nesting = Math.max(0, rule.nesting - 1);
    else if (token === '.') rule.accesses += 1;
    else rule.operators += 1;
    const words = beyond(rule);
    if (words === null || rule.told) continue;
    rule.told = true;
    problems.push(
      problemAt(source, index, words, 'write it as several rules, or name a set: `["a", "b"].contains(…)`'),
    );
  }
  return problems;
}

function beyond({
  nesting,
  operators,
  accesses,
}: {
  readonly nesting: number;
  readonly operators: number;
  readonly accesses: number;
}): string | null {
  if (nesting > RULE_LIMITS.nesting) return `the rule nests brackets more than ${RULE_LIMITS.nesting} deep`;
  if (operators > RULE_LIMITS.operators) return `the rule has more than ${RULE_LIMITS.operators} operators`;
  return accesses > RULE_LIMITS.accesses ? `the rule has more than ${RULE_LIMITS.accesses} accesses by a dot` : null;
}
