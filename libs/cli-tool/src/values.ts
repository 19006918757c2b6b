// SPDX-License-Identifier: Apache-2.0
import type { CliParameter, CliTool, ToolDefinition } from '@writ/contract';
import { RE2JS } from 're2js';

/**
 * Limit on the instructions of a compiled expression. Matching takes time in proportion to the value's length times the
 * expression's. With values of 4,096 characters that is at most some tenths of a second, for any input.
 */
const PROGRAM_MAX = 1_000;

/** The problem with an expression, or null. */
export function patternFault(pattern: string): string | null {
  try {
    return RE2JS.compile(pattern).programSize() > PROGRAM_MAX ? 'it is larger than may be matched' : null;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it does not compile';
  }
}

/** The expression in JSON Schema, where a pattern may match anywhere: it is anchored at both ends. */
export const wholePattern = (pattern: string): string => `^(?:${pattern})$`;

/** An estimate of the matching steps for all values: each character is matched against each instruction. */
export function valueSteps(parameters: CliTool['parameters']): (args: Readonly<Record<string, unknown>>) => number {
  const sizes = Object.entries(parameters).flatMap(([name, { pattern }]) =>
    pattern === undefined ? [] : [{ name, size: RE2JS.compile(pattern).programSize() }],
  );
  return (args) =>
    sizes.reduce((sum, { name, size }) => sum + (Object.hasOwn(args, name) ? String(args[name]).length * size : 0), 0);
}

/**
 * The checks beyond the schemas: patterns match a whole value, in linear time; no value contains NUL, or begins with
 * `-` unless that is declared.
 */
export function valueFaults(parameters: CliTool['parameters']): NonNullable<ToolDefinition['faults']> {
  const checks = Object.entries(parameters).map(([name, parameter]) => ({ name, check: checkOf(parameter) }));
  return (args) =>
    checks.flatMap(({ name, check }) => {
      const message = Object.hasOwn(args, name) ? check(args[name]) : null;
      return message === null ? [] : [{ pointer: `/${name}`, message }];
    });
}

function checkOf({ pattern, enum: choices, leading_dash }: CliParameter): (value: unknown) => string | null {
  const expression = pattern === undefined ? null : RE2JS.compile(pattern);
  return (value) => {
    const text = String(value);
    // Repeats the schema's check, because it alone prevents that a value is anything else.
    if (choices !== undefined && !choices.includes(value as string)) return 'is none of the values that the tool takes';
    if (text.includes('\0')) return 'holds NUL, which no argument of a program can';
    if (text.startsWith('-') && leading_dash !== true)
      return 'begins with `-`, which a program could take for an option; the tool does not declare `leading_dash`';
    return expression === null || expression.matches(text) ? null : `does not match \`${pattern ?? ''}\` as a whole`;
  };
}
