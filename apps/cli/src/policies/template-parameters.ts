// SPDX-License-Identifier: Apache-2.0
import { JsonError, parseIJson } from '@writ/digest';
import type { PolicyTemplate } from '@writ/policy';
import { usage } from '../cli-error.ts';

/** What of a parameter's JSON schema is looked at; the schema itself checks the value. */
interface ParameterSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
}

/** A parameter of a template, as a person reads it. */
export interface Parameter {
  readonly name: string;
  /** `text`, `number`, `list`, or the words that it may be */
  readonly takes: string;
  /** undefined where one must be given */
  readonly default: unknown;
  readonly description: string;
}

/** The parameters of a template, in its order. */
export function parametersOf(template: PolicyTemplate): Parameter[] {
  return Object.entries(template.parameters.properties).map(([name, schema]) => {
    const { type, enum: words, default: value, description = '' } = schema as ParameterSchema;
    return {
      name,
      takes:
        words === undefined ? (type === 'array' ? 'list' : type === 'integer' ? 'number' : 'text') : words.join(' | '),
      default: value,
      description,
    };
  });
}

/**
 * The values of `--set name=value`: a list takes one item each time, or all as JSON. What doesn't fit, the template's
 * schema tells.
 * @throws CliError for what isn't `name=value`, and for a value that is given twice where one is taken
 */
export function parameterValues(template: PolicyTemplate, given: readonly string[]): Record<string, unknown> {
  const takes = new Map(parametersOf(template).map((one) => [one.name, one.takes]));
  const values = new Map<string, unknown>();
  for (const text of given) {
    const at = text.indexOf('=');
    if (at < 1) throw usage(`\`--set ${text}\`: it takes \`name=value\``);
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    const before = values.get(name);
    if (takes.get(name) === 'list')
      values.set(name, [...((before as unknown[] | undefined) ?? []), ...itemsOf(text, value)]);
    else if (before !== undefined) throw usage(`\`--set ${name}\` is given twice, and one value is taken`);
    else values.set(name, takes.get(name) === 'number' && /^-?\d{1,15}$/.test(value) ? Number(value) : value);
  }
  return Object.fromEntries(values);
}

function itemsOf(text: string, value: string): unknown[] {
  if (!value.startsWith('[')) return [value];
  try {
    return parseIJson(value, { depthMax: 2 }) as unknown[];
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw usage(`\`--set ${text}\` is no JSON that Writ takes: ${error.message}`);
  }
}
