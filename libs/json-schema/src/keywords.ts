// SPDX-License-Identifier: Apache-2.0
//
// The keywords of JSON Schema 2020-12 that are interpreted, and where schemas lie within a schema. Everything else is an
// annotation and is ignored, `format` and unknown keywords included.

type Holds = 'schema' | 'list' | 'map' | 'value';

interface Keyword {
  /** what its value is: a schema, a list or a map of schemas, or no schema at all */
  readonly holds: Holds;
  /** whether a value of this form can be interpreted */
  readonly fits: (value: unknown) => boolean;
  /** the form in words */
  readonly form: string;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isObject(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');
export const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'] as const;
const isType = (value: unknown): boolean => (TYPES as readonly unknown[]).includes(value);

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
const count: Keyword = { holds: 'value', fits: isCount, form: 'a whole number that is not negative' };
const number: Keyword = { holds: 'value', fits: isNumber, form: 'a number' };

/** The interpreted keywords, by name. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$defs', map],
  ['definitions', map],
  ['$ref', { holds: 'value', fits: (value) => typeof value === 'string', form: 'a reference' }],
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
  ['unevaluatedItems', schema],
  ['unevaluatedProperties', schema],
  [
    'type',
    {
      holds: 'value',
      fits: (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
      form: `one of ${TYPES.map((each) => `\`${each}\``).join(', ')}, or a list of them`,
    },
  ],
  ['const', { holds: 'value', fits: () => true, form: 'any value' }],
  ['enum', { holds: 'value', fits: (value) => Array.isArray(value) && value.length > 0, form: 'a list of values' }],
  [
    'multipleOf',
    { holds: 'value', fits: (value) => isNumber(value) && (value as number) > 0, form: 'a number above 0' },
  ],
  ['maximum', number],
  ['exclusiveMaximum', number],
  ['minimum', number],
  ['exclusiveMinimum', number],
  ['maxLength', count],
  ['minLength', count],
  ['pattern', { holds: 'value', fits: (value) => typeof value === 'string', form: 'a regular expression' }],
  ['maxItems', count],
  ['minItems', count],
  ['uniqueItems', { holds: 'value', fits: (value) => typeof value === 'boolean', form: '`true` or `false`' }],
  ['maxContains', count],
  ['minContains', count],
  ['maxProperties', count],
  ['minProperties', count],
  ['required', { holds: 'value', fits: isNames, form: 'a list of names' }],
  [
    'dependentRequired',
    { holds: 'value', fits: (value) => isObject(value) && Object.values(value).every(isNames), form: 'names by name' },
  ],
]);

/** Keywords that change what others mean. Ignoring them would check something else than the author wrote. */
export const REFUSED: ReadonlyMap<string, string> = new Map([
  ['$id', 'a schema has no address here'],
  ['$anchor', 'refer to a place by its path, such as `#/$defs/name`'],
  ['$dynamicRef', 'use `$ref`'],
  ['$dynamicAnchor', 'refer to a place by its path, such as `#/$defs/name`'],
  ['$recursiveRef', 'use `$ref`'],
  ['patternProperties', 'use `additionalProperties` with `propertyNames`'],
  ['dependencies', 'use `dependentRequired` or `dependentSchemas`'],
  ['additionalItems', 'use `items` beside `prefixItems`'],
]);

export { isObject };
