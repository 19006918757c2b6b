// SPDX-License-Identifier: Apache-2.0
import { schemaProblems } from '@writ/contract';
import type { Validator } from 'typebox/compile';
import { problemOf, type PolicyProblem } from '../problems.ts';

/** The problems in the shape of a value, one per position, in words that need no knowledge of schemas. */
export function shapeProblems(validator: Validator, value: unknown): PolicyProblem[] {
  const problems = new Map<string, PolicyProblem>();
  for (const { pointer, keyword, message } of schemaProblems(validator.Type(), value)) {
    if (!problems.has(pointer)) problems.set(pointer, problemOf(pointer, `it ${message}`, HELP[keyword] ?? ''));
  }
  return problems.size > 0
    ? [...problems.values()]
    : [problemOf('', "it doesn't fit the schema", 'compare it with the schema')];
}

const HELP: Readonly<Record<string, string>> = {
  boolean: 'leave it out, or look for a slip in its name',
  required: 'add what is missing',
};
