// SPDX-License-Identifier: Apache-2.0
import { schemaProblems } from '@writ/contract';
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import { IsOptional } from 'typebox';
import { Value } from 'typebox/value';

/** The problems of the environment: all variables at once, and none of the values. */
export class EnvironmentError extends Error {
  /** One line for each variable: its name and the expected value. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(`the environment is not as it should be:\n${problems.map((problem) => `  ${problem}`).join('\n')}`, options);
    this.name = 'EnvironmentError';
    this.problems = problems;
  }
}

/**
 * Reads the variables that a schema names; others are ignored. Numbers and booleans are converted, an empty variable
 * counts as absent, defaults are filled in.
 * @throws EnvironmentError that names each variable that is missing or wrong, with its description or what the schema
 * expects.
 */
export function readEnvironment<P extends TProperties>(
  schema: TObject<P>,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Static<TObject<P>>> {
  const config: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = env[name];
    const value = text === undefined || text === '' ? Value.Default(property, undefined) : parseText(property, text);
    if (value === undefined) {
      if (!IsOptional(property)) problems.push(`${name} is not set: ${expectation(property, undefined)}`);
    } else if (Value.Check(property, value)) config[name] = value;
    else problems.push(`${name} is wrong: ${expectation(property, value)}`);
  }
  if (problems.length > 0) throw new EnvironmentError(problems);
  return Object.freeze(config) as Readonly<Static<TObject<P>>>;
}

/** Reads only plain decimals, `true` and `false`. Any other text stays a text, and the schema refuses it. */
function parseText(property: TSchema, text: string): unknown {
  const { type } = property as { type?: unknown };
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/**
 * Describes the expected value of a variable: the message of its reader (`ReadBy`), if any, and the description in its
 * schema. Without those it uses the validator's message, which repeats no values.
 */
function expectation(property: TSchema, value: unknown): string {
  const { description } = property as { description?: unknown };
  const errors = Value.Errors(property, value);
  const found = errors.filter(({ keyword }) => keyword === '~refine').map(({ message }) => message);
  if (typeof description === 'string')
    return [...(errors.length === found.length ? found : []), description].join('; expected: ');
  return schemaProblems(property, value)
    .map(({ message }) => message)
    .join(', ');
}
