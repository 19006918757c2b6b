// SPDX-License-Identifier: Apache-2.0
import { nameOf } from './names.ts';
import { yamlOf } from './yaml.ts';

/** The formats of `-o`. `table` is the text for people; `name` prints one `noun/id` a line. */
export const FORMATS = ['json', 'yaml', 'table', 'name'] as const;
export type Format = (typeof FORMATS)[number];

/** How a command prints its answer. */
export interface OutputOptions {
  /** the older spelling of `-o json` */
  readonly json?: boolean;
  readonly output?: Format;
  readonly quiet?: boolean;
}

/** The requested format. */
export const formatOf = ({ json, output }: OutputOptions): Format => output ?? (json === true ? 'json' : 'table');

/** Whether one value is printed for programs. Text that comes bit by bit is then part of that value. */
export const isForPrograms = (options: OutputOptions): boolean => ['json', 'yaml'].includes(formatOf(options));

/** What a value is called without a name of its own, such as `secret`: the noun of the command. */
export interface Shown {
  readonly noun: string;
  readonly value: unknown;
  readonly toText: () => string;
}

/** One of several values that are printed as they come: a line of JSON, or a YAML document each. */
export function renderItem(options: OutputOptions, { noun, value, toText }: Shown): string {
  const format = formatOf(options);
  if (format === 'json') return `${JSON.stringify(value)}\n`;
  if (format === 'yaml') return `---\n${yamlOf(value)}`;
  return renderOutput(options, { noun, value, toText }) ?? '';
}

/**
 * An answer in the requested format, with a newline at its end; empty where there is nothing to print. Null where
 * `-o name` is requested and the value has no name.
 */
export function renderOutput(options: OutputOptions, { noun, value, toText }: Shown): string | null {
  switch (formatOf(options)) {
    case 'json':
      return `${JSON.stringify(value, null, 2)}\n`;
    case 'yaml':
      return yamlOf(value);
    case 'name': {
      const names = nameOf(noun, value);
      return names === null ? null : names.map((name) => `${name}\n`).join('');
    }
    case 'table':
      return options.quiet === true && options.output === undefined ? '' : `${toText()}\n`;
  }
}
