// SPDX-License-Identifier: Apache-2.0
import { Unusable } from './problems.ts';
import { isObject, type Dialect, type Json } from './read-document.ts';
import { entriesOf, memberOf, membersOf, type Located } from './references.ts';

interface Conversion {
  readonly dialect: Dialect;
  readonly direction: 'sent' | 'received';
  readonly convert: (schema: Located) => unknown;
}

/** Keywords whose value is kept as it is. */
const KEPT_30 = [
  'title',
  'description',
  'default',
  'format',
  'deprecated',
  'readOnly',
  'writeOnly',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
] as const;
const KEPT_31 = [
  ...KEPT_30,
  'const',
  'examples',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minContains',
  'maxContains',
  'dependentRequired',
  'contentEncoding',
  'contentMediaType',
  '$comment',
] as const;
/** Keywords with a schema, a list of schemas, or schemas by name. */
const ONE = {
  '3.0': ['not', 'items'],
  '3.1': [
    'not',
    'items',
    'if',
    'then',
    'else',
    'contains',
    'propertyNames',
    'unevaluatedItems',
    'unevaluatedProperties',
  ],
} as const;
const LISTS = { '3.0': ['allOf', 'oneOf', 'anyOf'], '3.1': ['allOf', 'oneOf', 'anyOf', 'prefixItems'] } as const;
const MAPS = { '3.0': [], '3.1': ['patternProperties', 'dependentSchemas'] } as const;
/** Keywords that give a schema another base or another meaning, which no copy of it would have. */
const FOREIGN = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$vocabulary'] as const;
const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const DIALECTS: ReadonlySet<unknown> = new Set([
  'https://json-schema.org/draft/2020-12/schema',
  'https://spec.openapis.org/oas/3.1/dialect/base',
]);

/** Converts one schema without a reference; `convert` does those below it. @throws Unusable */
export function convertNode(schema: Located, conversion: Conversion): unknown {
  const { dialect } = conversion;
  if (dialect === '3.1' && typeof schema.value === 'boolean') return schema.value;
  if (!isObject(schema.value)) throw new Unusable(schema.pointer, 'is no schema');
  const node = { value: schema.value, pointer: schema.pointer };
  if (dialect === '3.1') verifyOwn(node);
  const out: Record<string, unknown> = {};
  for (const keyword of dialect === '3.0' ? KEPT_30 : KEPT_31)
    if (Object.hasOwn(node.value, keyword)) out[keyword] = node.value[keyword];
  if (dialect === '3.0' && node.value['example'] !== undefined) out['examples'] = [node.value['example']];
  Object.assign(out, typesOf(node, dialect), dialect === '3.0' ? boundsOf(node) : {}, below(node, conversion));
  return { ...out, ...membersSchema(node, conversion) };
}

function verifyOwn({ value, pointer }: Located<Json>): void {
  const foreign = FOREIGN.find((keyword) => value[keyword] !== undefined);
  if (foreign !== undefined)
    throw new Unusable(`${pointer}/${foreign}`, `uses \`${foreign}\``, 'refer to schemas by `#/…`');
  if (value['$schema'] !== undefined && !DIALECTS.has(value['$schema']))
    throw new Unusable(`${pointer}/$schema`, 'is of another dialect of JSON Schema', 'write it in that of OpenAPI 3.1');
}

/** `type` and `enum`. In 3.0 `nullable` allows null beside the type that stands with it, and has no meaning alone. */
function typesOf({ value, pointer }: Located<Json>, dialect: Dialect): Json {
  const { type, nullable } = value;
  const isNullable = dialect === '3.0' && nullable === true && type !== undefined;
  if (type !== undefined) {
    const types: readonly unknown[] = dialect === '3.1' && Array.isArray(type) ? type : [type];
    const isKnown = types.every((one) => TYPES.has(one) && !(dialect === '3.0' && one === 'null'));
    if (!isKnown) throw new Unusable(`${pointer}/type`, 'is no type of this version of OpenAPI');
  }
  const choices = value['enum'];
  if (choices !== undefined && !Array.isArray(choices)) throw new Unusable(`${pointer}/enum`, 'is no list');
  const withNull = isNullable && Array.isArray(choices) && !choices.includes(null);
  return {
    ...(type === undefined ? {} : { type: isNullable ? [type, 'null'] : type }),
    ...(choices === undefined ? {} : { enum: withNull ? [...(choices as unknown[]), null] : choices }),
  };
}

/** In 3.0 `exclusiveMinimum` is a boolean that changes the meaning of `minimum`. */
function boundsOf({ value, pointer }: Located<Json>): Json {
  const out: Record<string, unknown> = {};
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const [limit, flag] = [value[bound], value[exclusive]];
    if (flag !== undefined && typeof flag !== 'boolean')
      throw new Unusable(
        `${pointer}/${exclusive}`,
        'is no boolean, which it is in OpenAPI 3.0',
        'write `true` beside the bound',
      );
    if (limit === undefined) continue;
    if (typeof limit !== 'number') throw new Unusable(`${pointer}/${bound}`, 'is no number');
    out[flag === true ? exclusive : bound] = limit;
  }
  return out;
}

function below(node: Located<Json>, { dialect, convert }: Conversion): Json {
  const out: Record<string, unknown> = {};
  for (const keyword of ONE[dialect])
    if (node.value[keyword] !== undefined) out[keyword] = convert(memberOf(node, keyword));
  for (const keyword of LISTS[dialect]) {
    if (node.value[keyword] === undefined) continue;
    const schemas = entriesOf(memberOf(node, keyword));
    if (schemas.length === 0) throw new Unusable(`${node.pointer}/${keyword}`, 'is no list of schemas');
    out[keyword] = schemas.map(convert);
  }
  for (const keyword of MAPS[dialect])
    if (node.value[keyword] !== undefined)
      out[keyword] = Object.fromEntries(
        membersOf(memberOf(node, keyword)).map(([name, schema]) => [name, convert(schema)]),
      );
  return out;
}

/** The members of an object, without those that don't go in this direction. */
function membersSchema(node: Located<Json>, { direction, convert }: Conversion): Json {
  const { value } = node;
  const left = direction === 'sent' ? 'readOnly' : 'writeOnly';
  const hidden = new Set<string>();
  const properties: [string, unknown][] = [];
  for (const [name, schema] of membersOf(memberOf(node, 'properties'))) {
    if (name === '__proto__') throw new Unusable(schema.pointer, 'has a name that no argument can have');
    const converted = convert(schema);
    if (isObject(converted) && converted[left] === true) hidden.add(name);
    else properties.push([name, converted]);
  }
  const required = value['required'];
  if (required !== undefined && !Array.isArray(required)) throw new Unusable(`${node.pointer}/required`, 'is no list');
  const names = ((required ?? []) as unknown[]).filter((name) => typeof name === 'string' && !hidden.has(name));
  const more = value['additionalProperties'];
  return {
    ...(value['properties'] === undefined ? {} : { properties: Object.fromEntries(properties) }),
    ...(names.length === 0 ? {} : { required: [...new Set(names)] }),
    ...(more === undefined
      ? {}
      : { additionalProperties: typeof more === 'boolean' ? more : convert(memberOf(node, 'additionalProperties')) }),
  };
}
