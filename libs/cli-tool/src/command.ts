// SPDX-License-Identifier: Apache-2.0
//
// From checked arguments to what runs. INVARIANT (one value, one place): what a caller gives fills places inside single
// arguments; it never makes another argument, and no shell reads it.
import type { CliCommand } from '@writ/contract';
import { fill } from './template.ts';

type Values = Readonly<Record<string, unknown>>;

/** The program and its arguments. Callers MUST have checked the values against the tool's definition. */
export function argvOf({ cmd, args, optional_args }: CliCommand, values: Values): string[] {
  const filled = (templates: readonly string[]): string[] =>
    templates.map((template) => fill(template, (name) => textOf(values, name)));
  const extra = optional_args
    .filter(({ parameter, args: own }) => isGiven(values, parameter, own))
    .flatMap(({ args: own }) => filled(own));
  return [cmd, ...filled(args), ...extra];
}

/**
 * The same, written for bash: each argument quoted, so that whoever reads it sees the arguments that the program gets.
 */
export function commandLineOf(command: CliCommand, values: Values): string {
  return argvOf(command, values).map(quoted).join(' ');
}

/** The variables that the tool declares. @throws where a secret that it names was not handed over */
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

/** The secrets that its variables name, each once, sorted. */
export function secretNamesOf({ env }: Pick<CliCommand, 'env'>): string[] {
  return [
    ...new Set(env.flatMap(({ parts }) => parts.flatMap((part) => ('secret' in part ? [part.secret] : [])))),
  ].sort();
}

/**
 * A switch, an option without a value in it, is there when its parameter is true; any other when its parameter is
 * given.
 */
function isGiven(values: Values, parameter: string, templates: readonly string[]): boolean {
  const value = own(values, parameter);
  const isSwitch = typeof value === 'boolean' && !templates.some((template) => template.includes(`{{${parameter}}}`));
  return isSwitch ? value : value !== undefined;
}

/** Arguments come from a caller: `constructor` is a fine name for a parameter, and not what objects inherit. */
const own = (values: Values, name: string): unknown => (Object.hasOwn(values, name) ? values[name] : undefined);

function textOf(values: Values, name: string): string {
  const value = own(values, name);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw new Error(`parameter \`${name}\` has no value`);
  return String(value);
}

function secretOf(secrets: Readonly<Record<string, string>>, name: string): string {
  const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (value === undefined) throw new Error(`secret \`${name}\` was not handed over`);
  return value;
}

/** Words of these characters mean themselves to bash. */
const PLAIN = /^[A-Za-z0-9_./:@%+,-]+$/;
const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
