// SPDX-License-Identifier: Apache-2.0
//
// Checks values against schemas of tenants by interpreting them.
// INVARIANT (no code of a tenant): a schema is never compiled, and only keywords that are listed reach the interpreter.
// INVARIANT (bounded): each application of a schema counts as a step, and so does work in proportion to the value. A
// check ends after the steps that the caller allows, whatever schema and value are.
// INVARIANT (no value): a message repeats no part of the value, which may be a secret.
import type { JsonSchemaText } from '@writ/contract';
import Schema from 'typebox/schema';
import { isObject, KEYWORDS } from './keywords.ts';
import { Re2Pattern } from './pattern.ts';

/** A problem of a value. */
export interface SchemaFault {
  /** JSON pointer (RFC 6901) into the value; empty for the whole */
  readonly pointer: string;
  /** without its subject: `must be one of …` */
  readonly message: string;
}

/** The problems of a value; `isCut` where the check took more steps than were allowed, and nothing is known. */
export type SchemaRead = { readonly isCut: false; readonly faults: readonly SchemaFault[] } | { readonly isCut: true };

interface Prepared {
  readonly schema: object | boolean;
  readonly start: (stepsMax: number) => void;
}

/** A reference is found anew at each application, which takes some 40 microseconds. */
const REFERENCE_STEPS = 20;

/** Thrown by a check that has used its steps. */
class StepsUsed extends Error {}

const prepared = new WeakMap<object, Prepared>();

/**
 * Checks a value against a schema that `verifySchema` accepted.
 * @param stepsMax a step takes about two microseconds
 */
export function schemaFaults(schema: JsonSchemaText, value: unknown, stepsMax: number): SchemaRead {
  let ready = prepared.get(schema);
  if (ready === undefined) prepared.set(schema, (ready = prepare(schema)));
  try {
    ready.start(stepsMax);
    if (Schema.Check(ready.schema as never, value)) return { isCut: false, faults: [] };
    const [, errors] = Schema.Errors(ready.schema as never, value);
    const faults = faultsOf(errors as readonly SchemaError[]);
    return {
      isCut: false,
      faults: faults.length === 0 ? [{ pointer: '', message: 'does not fit the schema' }] : faults,
    };
  } catch (error) {
    // A schema that refers to itself without going deeper into the value ends here, too.
    if (error instanceof StepsUsed || error instanceof RangeError) return { isCut: true };
    throw error;
  }
}

function prepare(root: JsonSchemaText): Prepared {
  let left = 0;
  const count = (steps: number): void => {
    left -= steps;
    if (left < 0) throw new StepsUsed();
  };
  // The interpreter calls it for each application of a schema.
  const counter = (steps: number) => [
    {
      check: (value: unknown): boolean => {
        count(steps + sizeOf(value));
        return true;
      },
      error: (): string => '',
    },
  ];
  const [ordinary, referring] = [counter(1), counter(REFERENCE_STEPS)];
  const copy = (node: unknown): object | boolean => {
    if (!isObject(node)) return node as boolean;
    const members = Object.entries(node).flatMap(([name, value]): [string, unknown][] => {
      const keyword = KEYWORDS.get(name);
      if (keyword === undefined) return [];
      if (name === 'pattern') return [[name, new Re2Pattern(String(value), count)]];
      if (keyword.holds === 'schema') return [[name, copy(value)]];
      if (keyword.holds === 'list') return [[name, (value as unknown[]).map(copy)]];
      if (keyword.holds === 'map')
        return [[name, Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, copy(each)]))]];
      return [[name, value]];
    });
    return { ...Object.fromEntries(members), '~refine': '$ref' in node ? referring : ordinary };
  };
  return {
    schema: copy(root),
    start: (stepsMax) => {
      left = stepsMax;
    },
  };
}

/** What a schema may look at by itself: the items or members of a value, and the characters of a text by the hundred. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'string') return Math.floor(value.length / 100);
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** More is of no use to a caller. */
const FAULTS_MAX = 32;

function faultsOf(errors: readonly SchemaError[]): SchemaFault[] {
  const seen = new Set<string>();
  return errors
    .filter(({ schemaPath, keyword }) => !isWithinChoice(schemaPath) && !REPEATED.has(keyword))
    .map((error) => ({ pointer: error.instancePath, message: messageOf(error) }))
    .filter(({ pointer, message }) => {
      const key = `${pointer}\n${message}`;
      return seen.has(key) ? false : (seen.add(key), true);
    })
    .slice(0, FAULTS_MAX);
}

/** Reported for the member or the branch as well, which says more. */
const REPEATED: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties']);

/** Of a choice only the whole is reported: the branches that weren't meant would mislead. */
const isWithinChoice = (path: string): boolean => /\/(anyOf|oneOf|not|contains|propertyNames)\//.test(path);

function messageOf({ keyword, params }: SchemaError): string {
  switch (keyword) {
    case 'boolean':
      return 'is not known here';
    case 'required':
      return `lacks ${listOf((params['requiredProperties'] as readonly unknown[] | undefined) ?? [])}`;
    case 'enum':
      return oneOf((params['allowedValues'] as readonly unknown[] | undefined) ?? []);
    case 'const':
      return oneOf([params['allowedValue']]);
    case 'type':
      return `must be ${[params['type']].flat().join(' or ')}`;
    case 'pattern':
      return `must match \`${(params['pattern'] as Re2Pattern).text}\``;
    case 'anyOf':
      return 'fits none of the forms that are allowed here';
    case 'oneOf':
      return 'must fit exactly one of the forms that are allowed here';
    case 'if':
      return 'breaks a rule that holds for such a value';
    case 'not':
      return 'has a form that is excluded here';
    default:
      return limitText(keyword, params);
  }
}

function limitText(keyword: string, params: Readonly<Record<string, unknown>>): string {
  const limit = String(params['limit'] ?? params['multipleOf'] ?? '');
  const texts: Readonly<Record<string, string>> = {
    minimum: `must be at least ${limit}`,
    maximum: `must be at most ${limit}`,
    exclusiveMinimum: `must be above ${limit}`,
    exclusiveMaximum: `must be below ${limit}`,
    multipleOf: `must be a multiple of ${limit}`,
    minLength: `must have at least ${limit} characters`,
    maxLength: `must have at most ${limit} characters`,
    minItems: `must have at least ${limit} items`,
    maxItems: `must have at most ${limit} items`,
    minProperties: `must have at least ${limit} members`,
    maxProperties: `must have at most ${limit} members`,
    uniqueItems: 'must not have an item twice',
    contains: 'lacks an item that is needed here',
  };
  return texts[keyword] ?? `breaks the rule \`${keyword}\``;
}

/** So many values of a list are shown: enough to choose from, and few enough to read. */
const SHOWN_MAX = 32;
const SHOWN_CHARS_MAX = 64;
const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return `\`${text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text}\``;
};
const listOf = (values: readonly unknown[]): string =>
  `${values.slice(0, SHOWN_MAX).map(shown).join(', ')}${values.length > SHOWN_MAX ? ', …' : ''}`;
const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? `must be ${listOf(values)}` : `must be one of ${listOf(values)}`;
