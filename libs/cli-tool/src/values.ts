// SPDX-License-Identifier: Apache-2.0
import type { CliParameter, CliTool, ToolDefinition } from '@writ/contract';
import { RE2JS } from 're2js';

/**
 * Instructions of a compiled expression. Matching takes as many steps as value and expression are long together,
 * multiplied: with values of 4,096 characters some tenths of a second at the very most, whoever wrote either.
 */
const PROGRAM_MAX = 1_000;

/** What is wrong with an expression, or null. */
export function patternFault(pattern: string): string | null {
  try {
    return RE2JS.compile(pattern).programSize() > PROGRAM_MAX ? 'it is larger than may be matched' : null;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it does not compile';
  }
}

/** The expression as a caller is told it, in JSON Schema's way, where a pattern may match anywhere. */
export const wholePattern = (pattern: string): string => `^(?:${pattern})$`;

/**
 * A character of a value is matched against as many instructions as the expression has: about so many steps, for the
 * whole of the values.
 */
export function valueSteps(parameters: CliTool['parameters']): (args: Readonly<Record<string, unknown>>) => number {
  const sizes = Object.entries(parameters).flatMap(([name, { pattern }]) =>
    pattern === undefined ? [] : [{ name, size: RE2JS.compile(pattern).programSize() }],
  );
  return (args) =>
    sizes.reduce((sum, { name, size }) => sum + (Object.hasOwn(args, name) ? String(args[name]).length * size : 0), 0);
}

/**
 * What schemas don't say of values that fit them: patterns match the whole of a value, in linear time; nothing holds
 * NUL or begins with `-` unless declared.
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
    // Said once more than in the schema: it is what keeps a value from being anything else.
    if (choices !== undefined && !choices.includes(value as string)) return 'is none of the values that the tool takes';
    if (text.includes('\0')) return 'holds NUL, which no argument of a program can';
    if (text.startsWith('-') && leading_dash !== true)
      return 'begins with `-`, which a program could take for an option; the tool does not declare `leading_dash`';
    return expression === null || expression.matches(text) ? null : `does not match \`${pattern ?? ''}\` as a whole`;
  };
}
