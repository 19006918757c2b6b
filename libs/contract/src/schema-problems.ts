// SPDX-License-Identifier: Apache-2.0
//
// Turns the errors of a validator into texts for people. All schema errors that leave a process become texts here.
// INVARIANT (no pattern): a text has no regular expression. It says what the schema's description says instead.
// INVARIANT (no value): a text repeats no part of the value, which may be a secret.
import { namesIn } from './json-pointers.ts';
import { didYouMean } from './nearest.ts';
import { formInWords } from './text-forms.ts';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** An error as TypeBox reports it. `schemaPath` leads to the schema that refused the value. */
export interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

export interface SchemaProblem {
  /** JSON pointer (RFC 6901) into the value; empty for the whole */
  readonly pointer: string;
  readonly keyword: string;
  /** Without its subject: `must be one of …`. */
  readonly message: string;
}

interface JsonSchema {
  readonly description?: unknown;
  readonly pattern?: unknown;
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/**
 * The problems of a value, each as a text; empty for a value that matches. Of a union only the branch that fits best is
 * reported. A schema with references is not supported, since branches are examined by themselves.
 */
export function schemaProblems(schema: TSchema, value: unknown): SchemaProblem[] {
  const found: readonly SchemaError[] = Value.Errors(schema, value);
  // A misspelt member is unknown, and the member that was meant is missing: the first says what to correct.
  const errors = found.toSorted((a, b) => Number(b.keyword === 'boolean') - Number(a.keyword === 'boolean'));
  const seen = new Set<string>();
  return errors.flatMap((error, at) => {
    const { union, pointer } = outermostUnion(schema, error);
    // A closed object reports an unknown member twice: as such, and as a value that never matches.
    if (union === undefined)
      return error.keyword === 'additionalProperties' && errors.some(({ keyword }) => keyword === 'boolean')
        ? []
        : [{ pointer, keyword: error.keyword, message: schemaProblemText(schema, error, at < SUGGESTIONS_MAX) }];
    if (seen.has(pointer)) return [];
    seen.add(pointer);
    return unionProblems(union, valueAt(value, pointer)).map((problem) => ({
      ...problem,
      pointer: `${pointer}${problem.pointer}`,
    }));
  });
}

/** The caller decides how many members a value has, and each suggestion takes time. */
const SUGGESTIONS_MAX = 8;

/** Describes one error of the schema. `suggests` adds the known members to an unknown one. */
export function schemaProblemText(schema: TSchema, error: SchemaError, suggests = true): string {
  const { keyword, params, message, schemaPath } = error;
  const { requiredProperties, allowedValues, allowedValue } = params as {
    readonly requiredProperties?: readonly string[];
    readonly allowedValues?: readonly unknown[];
    readonly allowedValue?: unknown;
  };
  if (keyword === 'boolean') return `is not known here${suggests ? knownMembers(schema, error) : ''}`;
  if (requiredProperties !== undefined) return `lacks ${listOf(requiredProperties)}`;
  if (allowedValues !== undefined) return oneOf(allowedValues);
  if (keyword === 'const') return oneOf([allowedValue]);
  if (keyword === 'pattern') return patternText(schemaAt(schema, namesIn(schemaPath)));
  return message === '' ? 'is not valid' : message;
}

/** The member that was meant by an unknown one, or the known members. Both are the schema's own words. */
function knownMembers(schema: TSchema, { schemaPath, instancePath }: SchemaError): string {
  const parts = namesIn(schemaPath);
  const [unknown = ''] = namesIn(instancePath).slice(-1);
  if (parts.at(-1) !== 'additionalProperties') return '';
  const { properties = {} } = schemaAt(schema, parts.slice(0, -1)) ?? {};
  return didYouMean(unknown, Object.keys(properties));
}

/** Without words there is nothing to say about the form: an expression tells most people nothing. */
function patternText(schema: JsonSchema | undefined): string {
  const { description, pattern } = schema ?? {};
  const words = typeof description === 'string' ? description : formInWords(String(pattern));
  return `does not have the form that is expected here${words === undefined ? '' : `; expected: ${words}`}`;
}

const listOf = (values: readonly unknown[]): string => values.map((each) => `\`${String(each)}\``).join(', ');
const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? `must be ${listOf(values)}` : `must be one of ${listOf(values)}`;

/** The problems of the branch that was most likely meant. */
function unionProblems(branches: readonly JsonSchema[], value: unknown): SchemaProblem[] {
  const constants = branches.map((branch) => branch.const);
  if (constants.every((each) => each !== undefined))
    return [{ pointer: '', keyword: 'enum', message: oneOf(constants) }];
  const [best, ...others] = branches
    .map((branch) => ({ branch, errors: Value.Errors(branch as TSchema, value) as readonly SchemaError[] }))
    .map((each) => ({ ...each, rank: rankOf(each.branch, each.errors, value) }))
    .toSorted((a, b) => a.rank - b.rank || a.errors.length - b.errors.length);
  if (best === undefined) return [];
  if (best.rank < OTHER_TYPE) return schemaProblems(best.branch as TSchema, value);
  const types = [best, ...others].flatMap(({ errors }) =>
    errors.flatMap(({ params }) => ('type' in params ? [params.type].flat().map(String) : [])),
  );
  return [{ pointer: '', keyword: 'type', message: `must be ${[...new Set(types)].join(' or ')}` }];
}

const [MAY_BE_MEANT, OTHER_KIND, OTHER_TYPE] = [0, 1, 2];

/** A value of another type is no attempt at a branch, nor is one with another constant in a member such as `kind`. */
function rankOf({ properties = {} }: JsonSchema, errors: readonly SchemaError[], value: unknown): number {
  if (errors.some(({ keyword, instancePath }) => keyword === 'type' && instancePath === '')) return OTHER_TYPE;
  const isOther = Object.entries(properties).some(
    ([name, member]) => member.const !== undefined && member.const !== valueAt(value, `/${name}`),
  );
  return isOther ? OTHER_KIND : MAY_BE_MEANT;
}

/** The branches of the outermost union that an error is in, and its place; without one the place of the error. */
function outermostUnion(
  schema: TSchema,
  { schemaPath, instancePath }: SchemaError,
): { readonly union?: readonly JsonSchema[]; readonly pointer: string } {
  const parts = namesIn(schemaPath);
  let depth = 0;
  for (let at = 0; at <= parts.length; at += 1) {
    const [keyword = '', next = ''] = parts.slice(at);
    const { anyOf } = schemaAt(schema, parts.slice(0, at)) ?? {};
    if (anyOf !== undefined && (keyword === 'anyOf' || keyword === ''))
      return { union: anyOf, pointer: firstParts(instancePath, depth) };
    if (OF_MEMBERS.has(keyword)) {
      depth += 1;
      at += 1;
    } else if (keyword === 'additionalProperties') depth += 1;
    else if (keyword === 'items') {
      depth += 1;
      // Items of a tuple have an index, and those of a list have none.
      if (/^\d+$/.test(next)) at += 1;
    } else at += 1;
  }
  return { pointer: instancePath };
}

/** Keywords that are followed by the name of a member. */
const OF_MEMBERS: ReadonlySet<string> = new Set(['properties', 'patternProperties']);

const firstParts = (pointer: string, count: number): string =>
  pointer
    .split('/')
    .slice(0, count + 1)
    .join('/');

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const valueAt = (value: unknown, pointer: string): unknown => namesIn(pointer).reduce(memberOf, value);
const schemaAt = (schema: TSchema, parts: readonly string[]): JsonSchema | undefined =>
  parts.reduce(memberOf, schema as unknown) as JsonSchema | undefined;
