// SPDX-License-Identifier: Apache-2.0
//
// The keywords of JSON Schema 2020-12 that `schemaFaults` interprets, and the form of each. All others are annotations.
// SEAM: `libs/json-schema` takes over this file, `verify-schema.ts` and `schema-faults.ts`.

/** What the value of a keyword is made of. */
type Holds = 'schema' | 'list' | 'map' | 'value';

interface Keyword {
  readonly holds: Holds;
  /** whether a value of this form can be interpreted */
  readonly fits: (value: unknown) => boolean;
  /** the form in words */
  readonly form: string;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isObject(value);
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');
const TYPES: readonly unknown[] = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];

const schema: Keyword = { holds: 'schema', fits: isSchema, form: 'a schema' };
const list: Keyword = {
  holds: 'list',
  fits: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  form: 'a list of schemas',
};
const map: Keyword = {
  holds: 'map',
  fits: (value) => isObject(value) && Object.values(value).every(isSchema),
  form: 'schemas by name',
};
const other = (form: string, fits: Keyword['fits']): Keyword => ({ holds: 'value', fits, form });
const count = other('a whole number that is not negative', (one) => Number.isSafeInteger(one) && (one as number) >= 0);
const number = other('a number', Number.isFinite);

/** The interpreted keywords, by name. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$defs', map],
  ['$ref', other('a reference', (one) => typeof one === 'string')],
  ['allOf', list],
  ['anyOf', list],
  ['oneOf', list],
  ['not', schema],
  ['if', schema],
  ['then', schema],
  ['else', schema],
  ['dependentSchemas', map],
  ['prefixItems', list],
  ['items', schema],
  ['contains', schema],
  ['properties', map],
  ['additionalProperties', schema],
  ['propertyNames', schema],
  ['type', other('a type or a list of types', (one) => [one].flat().length > 0 && [one].flat().every((each) => TYPES.includes(each)))],
  ['const', other('any value', () => true)],
  ['enum', other('a list of values', (one) => Array.isArray(one) && one.length > 0)],
  ['multipleOf', other('a number above 0', (one) => Number.isFinite(one) && (one as number) > 0)],
  ['maximum', number],
  ['exclusiveMaximum', number],
  ['minimum', number],
  ['exclusiveMinimum', number],
  ['maxLength', count],
  ['minLength', count],
  ['pattern', other('a regular expression', (one) => typeof one === 'string')],
  ['maxItems', count],
  ['minItems', count],
  ['uniqueItems', other('`true` or `false`', (one) => typeof one === 'boolean')],
  ['maxContains', count],
  ['minContains', count],
  ['maxProperties', count],
  ['minProperties', count],
  ['required', other('a list of names', isNames)],
  ['dependentRequired', other('lists of names by name', (one) => isObject(one) && Object.values(one).every(isNames))],
]);

/** Keywords that change what others mean, with what to do. Ignoring one would check something else than was written. */
export const REFUSED: ReadonlyMap<string, string> = new Map([
  ['$id', 'a schema has no address here'],
  ['$anchor', 'refer to a place by its path, such as `#/$defs/name`'],
  ['$dynamicRef', 'use `$ref`'],
  ['$dynamicAnchor', 'refer to a place by its path, such as `#/$defs/name`'],
  ['$recursiveRef', 'use `$ref`'],
  ['patternProperties', 'use `additionalProperties` with `propertyNames`'],
  ['unevaluatedProperties', 'use `additionalProperties`'],
  ['unevaluatedItems', 'use `items`'],
  ['dependencies', 'use `dependentRequired` or `dependentSchemas`'],
  ['additionalItems', 'use `items` beside `prefixItems`'],
]);

/** The schema that a reference within `root` leads to; undefined for none. */
export function referredSchema(root: unknown, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let node: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined;
    node = (node as Readonly<Record<string, unknown>>)[name];
  }
  return isSchema(node) ? node : undefined;
}
