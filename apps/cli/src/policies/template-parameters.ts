// SPDX-License-Identifier: Apache-2.0
import { JsonError, parseIJson } from '@writ/digest';
import type { PolicyTemplate } from '@writ/policy';
import { usage } from '../cli-error.ts';

/** The keywords of a parameter's JSON schema that the help uses. The schema itself validates the value. */
interface ParameterSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
}

/** A parameter of a template, for people. */
export interface Parameter {
  readonly name: string;
  /** `text`, `number`, `list`, or the allowed words */
  readonly takes: string;
  /** undefined where a value is required */
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
 * The values of `--set name=value`. A list is repeated once per item, or given as JSON. The template's schema reports
 * values that don't fit.
 * @throws CliError for an argument that isn't `name=value`, and for a second value of a parameter that is no list
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
