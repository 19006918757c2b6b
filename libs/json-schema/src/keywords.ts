// SPDX-License-Identifier: Apache-2.0
import { nameOfToken } from '@writ/contract';
//
// The keywords of JSON Schema 2020-12 that `schemaFaults` interprets, and the form of each. Everything else is an
// annotation and is ignored, `format` and unknown keywords included.

/** What the value of a keyword is made of. */
type Holds = 'schema' | 'list' | 'map' | 'value';

interface Keyword {
  readonly holds: Holds;
  /** whether a value of this form can be interpreted */
  readonly fits: (value: unknown) => boolean;
  /** the form in words */
  readonly form: string;
}

/** Answers whether the value is a JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isObject(value);
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'] as const;
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
const plain = (form: string, fits: Keyword['fits']): Keyword => ({ holds: 'value', fits, form });
const count = plain(
  'a whole number that is not negative',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
const number = plain('a number', Number.isFinite);
const text = (form: string): Keyword => plain(form, (value) => typeof value === 'string');

const ANCHOR = /^[A-Za-z_][-A-Za-z0-9._]*$/;

/** The interpreted keywords, by name. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$defs', map],
  ['definitions', map],
  ['$ref', text('a reference')],
  // A name for references, and nothing else. None of them leads to it, so that it means nothing here.
  ['$anchor', plain('a plain name', (value) => typeof value === 'string' && ANCHOR.test(value))],
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
  ['patternProperties', map],
  ['additionalProperties', schema],
  ['propertyNames', schema],
  [
    'type',
    plain(`one of ${TYPES.map((each) => `\`${each}\``).join(', ')}, or a list of them`, (value) =>
      Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value),
    ),
  ],
  ['const', plain('any value', () => true)],
  ['enum', plain('a list of values', (value) => Array.isArray(value) && value.length > 0)],
  ['multipleOf', plain('a number above 0', (value) => Number.isFinite(value) && Number(value) > 0)],
  ['maximum', number],
  ['exclusiveMaximum', number],
  ['minimum', number],
  ['exclusiveMinimum', number],
  ['maxLength', count],
  ['minLength', count],
  ['pattern', text('a regular expression')],
  ['maxItems', count],
  ['minItems', count],
  ['uniqueItems', plain('`true` or `false`', (value) => typeof value === 'boolean')],
  ['maxContains', count],
  ['minContains', count],
  ['maxProperties', count],
  ['minProperties', count],
  ['required', plain('a list of names', isNames)],
  [
    'dependentRequired',
    plain('lists of names by name', (value) => isObject(value) && Object.values(value).every(isNames)),
  ],
]);

/** Keywords that change what others mean, with the remedy. Ignoring one would check something else than was written. */
export const REFUSED: ReadonlyMap<string, string> = new Map([
  ['$id', 'a schema has no address here'],
  ['$dynamicRef', 'use `$ref`'],
  ['$dynamicAnchor', 'refer to a place by its path, such as `#/$defs/name`'],
  ['$recursiveRef', 'use `$ref`'],
  ['unevaluatedProperties', 'use `additionalProperties`'],
  ['unevaluatedItems', 'use `items`'],
  ['dependencies', 'use `dependentRequired` or `dependentSchemas`'],
  ['additionalItems', 'use `items` beside `prefixItems`'],
]);

/** The schema to which a reference within `root` leads; undefined for none. */
export function referredSchema(root: unknown, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let node: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = nameOfToken(decoded(part));
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined;
    node = (node as Readonly<Record<string, unknown>>)[name];
  }
  return isSchema(node) ? node : undefined;
}

/** A reference is a URI, so a name in it may be percent-encoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
