// SPDX-License-Identifier: Apache-2.0
import type { PolicyProblem } from '../problems.ts';
import type { RuleText } from './rule-text.ts';
import { problemAt } from './problem-at.ts';

/**
 * Limit on the characters of all patterns of a set, counted from the first `*` of each. Before it, a pattern is
 * compared once. After it, Cedar may compare each of them at each character of a path of up to 4,096 characters; at
 * this limit that takes 40 ms.
 */
export const PATTERN_CHARS_MAX = 16 * 1024;

/** The position where the patterns of the set exceed their common limit; empty if they don't. */
export function patternProblems(source: string, rules: Iterable<RuleText>): PolicyProblem[] {
  let chars = 0;
  for (const { json, at } of [...rules].sort((a, b) => a.at - b.at)) {
    chars += charsIn(json.conditions);
    if (chars <= PATTERN_CHARS_MAX) continue;
    const words = `the patterns of \`like\` have more than ${PATTERN_CHARS_MAX} characters together, counted from the first \`*\` of each`;
    return [problemAt(source, at, words, 'write patterns that begin with what a path begins with, or fewer of them')];
  }
  return [];
}

/** Of all patterns anywhere in an expression. `complexityProblems` bounds its depth. */
function charsIn(expression: unknown): number {
  if (typeof expression !== 'object' || expression === null) return 0;
  let chars = 0;
  for (const [form, body] of Object.entries(expression)) chars += (form === 'like' ? charsOf(body) : 0) + charsIn(body);
  return chars;
}

function charsOf(like: unknown): number {
  const pattern = (like as { readonly pattern?: unknown } | null)?.pattern;
  if (!Array.isArray(pattern)) return 0;
  const first = pattern.indexOf('Wildcard');
  return first === -1 ? 0 : pattern.length - first - 1;
}
