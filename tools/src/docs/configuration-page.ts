// SPDX-License-Identifier: Apache-2.0
// The reference of environment variables, generated from the processes' declarations.
import { join } from 'node:path';
import { PROCESSES } from '@writ/contract';
import { variablesOfProcess } from '../chart/settings.ts';
import { START_VARIABLES, type StartVariable } from '../start/environment.ts';
import { LINE_CHARACTERS_MAX } from './style.ts';
import { code } from './table.ts';

/** A variable as its declaration describes it: a JSON schema, with `unit` and `secret` beside its own members. */
export interface DeclaredVariable {
  readonly type?: string;
  readonly description?: string;
  readonly default?: string | number | boolean;
  /** the default in words, where it is no value itself */
  readonly otherwise?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly { readonly const: string }[];
  /** the unit of a number */
  readonly unit?: string;
  /** whether the value, or the file that it names, is secret */
  readonly secret?: boolean;
}

type Variables = Readonly<Record<string, DeclaredVariable>>;

/** A section of the page: variables and their readers. */
export interface ConfigurationSection {
  readonly title: string;
  readonly intro: string;
  readonly variables: Variables;
}

/** A variable with the same declaration in at least so many processes is in a common section. */
const SHARED_FROM = 3;

const isOptional = (variable: DeclaredVariable): boolean => Reflect.get(variable, '~optional') === true;

/** Sentences of the page: a description is one phrase, or several with semicolons between. */
const sentences = (text: string): string =>
  text
    .split('; ')
    .map((phrase) => phrase.replace(/^(.*) unless set$/, 'unless set: $1'))
    .map((phrase) => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`)
    .join(' ');

/** Wraps a paragraph at the documents' width; code is not broken. */
function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > LINE_CHARACTERS_MAX) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}

/** The allowed values of a variable, in words. */
function valuesOf(name: string, variable: DeclaredVariable): string {
  const words = variable.enum ?? variable.anyOf?.map((word) => word.const);
  if (words !== undefined) return `One of ${words.map(code).join(', ')}`;
  if (variable.type === 'boolean') return '`true` or `false`';
  if (variable.type === 'integer') {
    const { unit, minimum, maximum } = variable;
    const range = maximum === undefined ? `at least ${minimum ?? 0}` : `${minimum ?? 0} to ${maximum}`;
    return `Integer${unit === undefined ? '' : `, ${unit}`}, ${range}`;
  }
  if (name.endsWith('_FILE')) return 'Path of a file';
  if (name.endsWith('_DIR')) return 'Path of a folder';
  return 'Text';
}

function defaultOf(variable: DeclaredVariable): string {
  if (variable.otherwise !== undefined) return `Default: ${variable.otherwise}`;
  if (variable.default === '') return 'Empty by default';
  if (variable.default !== undefined) return `Default: ${code(String(variable.default))}`;
  return isOptional(variable) ? 'Optional' : 'Required';
}

const secretOf = (name: string, { secret }: DeclaredVariable): readonly string[] =>
  secret !== true ? [] : [/_(?:FILE|DIR)$/.test(name) ? 'Its content is secret' : 'The value is secret'];

const entryOf = ([name, variable]: readonly [string, DeclaredVariable]): string =>
  [
    `### ${code(name)}`,
    wrapped(sentences(variable.description ?? '')),
    `${[valuesOf(name, variable), defaultOf(variable), ...secretOf(name, variable)].join('. ')}.`,
  ].join('\n\n');

const sectionText = ({ title, intro, variables }: ConfigurationSection): string =>
  [`## ${title}`, intro, ...Object.entries(variables).map(entryOf)].join('\n\n');

/** Optional variables that a program reads without a schema. */
const textsOf = (variables: Readonly<Record<string, StartVariable>>): Variables =>
  Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [name, { ...variable, type: 'string', '~optional': true }]),
  );

const without = (variables: Variables, shared: readonly Variables[]): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !shared.some((group) => Object.hasOwn(group, name))));

/** Variables with the same declaration, grouped by the names of their processes. */
function sharedBy(all: ReadonlyMap<string, Variables>): Map<string, Variables> {
  const groups = new Map<string, Record<string, DeclaredVariable>>();
  const names = new Set([...all.values()].flatMap((variables) => Object.keys(variables)));
  for (const name of names) {
    const readers = [...all].filter(([, variables]) => Object.hasOwn(variables, name));
    const alike = new Set(readers.map(([, variables]) => JSON.stringify(variables[name])));
    const variable = readers[0]?.[1][name];
    if (readers.length < SHARED_FROM || alike.size > 1 || variable === undefined) continue;
    const key = readers.map(([process]) => process).join(', ');
    groups.set(key, { ...groups.get(key), [name]: variable });
  }
  return groups;
}

/** Imported by path: no tool depends on an app, and this only reads its data. */
async function moduleOf<T>(checkout: string, path: string): Promise<T> {
  return (await import(join(checkout, path))) as T;
}

/** Every section of the page. */
export async function configurationSections(checkout: string): Promise<readonly ConfigurationSection[]> {
  const services = new Map<string, Variables>();
  for (const process of PROCESSES) services.set(process, await variablesOfProcess(checkout, process));
  const shared = sharedBy(services);
  const setup = await moduleOf<{ Environment: { properties: Variables } }>(checkout, 'apps/setup/src/config.env.ts');
  const cli = await moduleOf<{ VARIABLES: Readonly<Record<string, StartVariable>> }>(
    checkout,
    'apps/cli/src/config.env.ts',
  );
  return [
    {
      title: 'npm start',
      intro:
        '`npm start` also passes variables of the services on to them. It sets what it makes itself, such as keys.',
      variables: textsOf(START_VARIABLES),
    },
    {
      title: 'writ, the CLI',
      intro: 'The program needs none in a checkout where `npm start` runs.',
      variables: textsOf(cli.VARIABLES),
    },
    ...[...shared].map(([readers, variables]) =>
      readers.split(', ').length === PROCESSES.length
        ? { title: 'Every service', intro: `Read by ${readers}.`, variables }
        : { title: 'Services that reach the world', intro: `Read by ${readers}.`, variables },
    ),
    ...[...services].map(([process, variables]) => ({
      title: `${process.charAt(0).toUpperCase()}${process.slice(1)}`,
      intro: `The ${process} also reads the variables that services share.`,
      variables: without(variables, [...shared.values()]),
    })),
    {
      title: 'Setup',
      intro: 'The program `setup` makes roles, schema and keys before services start.',
      variables: setup.Environment.properties,
    },
  ];
}

/** The generated part of docs/reference/configuration.md. */
export async function configurationPage(checkout: string): Promise<string> {
  return (await configurationSections(checkout)).map(sectionText).join('\n\n');
}
