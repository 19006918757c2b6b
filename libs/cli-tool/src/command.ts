// SPDX-License-Identifier: Apache-2.0
//
// Builds the command from checked arguments. INVARIANT (one value, one place): a caller's values fill placeholders
// inside single arguments; a value never adds an argument, and no shell parses it.
import type { CliCommand } from '@writ/contract';
import { fill } from './template.ts';

type Values = Readonly<Record<string, unknown>>;

/** The program and its arguments. Callers MUST have checked the values against the tool's definition. */
export function argvOf({ cmd, args, optional_args }: CliCommand, values: Values): string[] {
  const filled = (templates: readonly string[]): string[] =>
    templates.map((template) => fill(template, (name) => textOf(values, name)));
  const extra = optional_args
    .filter(({ parameter, args: own }) => isPresent(values, parameter, own))
    .flatMap(({ args: own }) => filled(own));
  return [cmd, ...filled(args), ...extra];
}

/** The same as a bash command with each argument quoted, so that a reader sees the exact arguments. */
export function commandLineOf(command: CliCommand, values: Values): string {
  return argvOf(command, values).map(quoted).join(' ');
}

/** The variables that the tool declares. @throws if a secret in them is missing */
export function environmentOf(
  { env }: Pick<CliCommand, 'env'>,
  secrets: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    env.map(({ name, parts }) => [
      name,
      parts.map((part) => ('text' in part ? part.text : secretOf(secrets, part.secret))).join(''),
    ]),
  );
}

/** The secrets in its variables, each once, sorted. */
export function secretNamesOf({ env }: Pick<CliCommand, 'env'>): string[] {
  return [
    ...new Set(env.flatMap(({ parts }) => parts.flatMap((part) => ('secret' in part ? [part.secret] : [])))),
  ].sort();
}

/**
 * A switch, an option without a value in it, is present if its parameter is true; any other option if its parameter has
 * a value.
 */
function isPresent(values: Values, parameter: string, templates: readonly string[]): boolean {
  const value = ownValue(values, parameter);
  const isSwitch = typeof value === 'boolean' && !templates.some((template) => template.includes(`{{${parameter}}}`));
  return isSwitch ? value : value !== undefined;
}

/**
 * Arguments come from a caller: `constructor` is a valid name for a parameter, and inherited members must not count.
 */
const ownValue = (values: Values, name: string): unknown => (Object.hasOwn(values, name) ? values[name] : undefined);

function textOf(values: Values, name: string): string {
  const value = ownValue(values, name);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw new Error(`parameter \`${name}\` has no value`);
  return String(value);
}

function secretOf(secrets: Readonly<Record<string, string>>, name: string): string {
  const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (value === undefined) throw new Error(`secret \`${name}\` was not handed over`);
  return value;
}

/** Bash leaves words of these characters unchanged. */
const PLAIN = /^[A-Za-z0-9_./:@%+,-]+$/;
const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
