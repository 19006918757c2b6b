// SPDX-License-Identifier: Apache-2.0
import type { Validator } from 'typebox/compile';
import { problemOf, type PolicyProblem } from '../problems.ts';

/** The problems in the shape of a value, one per position, in words that need no knowledge of schemas. */
export function shapeProblems(validator: Validator, value: unknown): PolicyProblem[] {
  const problems = new Map<string, PolicyProblem>();
  for (const { instancePath, keyword, params, message } of validator.Errors(value)) {
    // Both only mean that a nested value is wrong, which has its own error.
    if (keyword === 'anyOf' || keyword === 'additionalProperties') continue;
    const [words, help] = wordsOf(keyword, params as Readonly<Record<string, unknown>>, message);
    if (!problems.has(instancePath)) problems.set(instancePath, problemOf(instancePath, words, help));
  }
  return problems.size > 0
    ? [...problems.values()]
    : [problemOf('', "it doesn't fit the schema", 'compare it with the schema')];
}

function wordsOf(keyword: string, params: Readonly<Record<string, unknown>>, message: string): [string, string] {
  const list = (values: unknown): string =>
    (values as readonly unknown[]).map((each) => `\`${String(each)}\``).join(', ');
  if (keyword === 'boolean') return ['it is not known here', 'leave it out, or look for a slip in its name'];
  if (keyword === 'required') return [`it lacks ${list(params['requiredProperties'])}`, 'add what is missing'];
  if (keyword === 'enum') return [`it must be one of ${list(params['allowedValues'])}`, ''];
  if (keyword === 'const') return [`it must be \`${String(params['allowedValue'])}\``, ''];
  return [`it ${message}`, ''];
}
