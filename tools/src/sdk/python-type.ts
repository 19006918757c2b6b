// SPDX-License-Identifier: Apache-2.0
import type { Schema } from './api-document.ts';
import { typeNameOf } from './schema-type.ts';

/** Words of the language, and names that a model or an annotation in it already has. */
const TAKEN: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global ' +
    'if import in is lambda nonlocal not or pass raise return try while with yield ' +
    'schema json copy validate construct dict fields list str int float bool object'
  ).split(' '),
);

export const snakeOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The name of a member or a parameter. One that Python or pydantic uses itself has `_` at its end. */
export function pythonNameOf(name: string): string {
  const plain = snakeOf(name)
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+/g, '');
  if (!/^[a-z]/.test(plain)) throw new Error(`\`${name}\` can't be a name in Python`);
  return TAKEN.has(plain) || plain.startsWith('model_') ? `${plain}_` : plain;
}

const pascalOf = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());

/** A JSON value as a literal of Python. */
export function pythonLiteralOf(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteralOf).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}: ${pythonLiteralOf(member)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

/** A model that was met on the way: an object without a name of its own in the document. */
export type DeclareModel = (name: string, schema: Schema) => void;

/**
 * The type of a schema as Python.
 *
 * @param name for a model of its own, where the schema is an object without a name
 */
export function pythonTypeOf(schema: Schema, name: string, declare: DeclareModel): string {
  const { $ref, const: only, enum: values, anyOf, type } = schema;
  if (typeof $ref === 'string') return typeNameOf($ref.slice($ref.lastIndexOf('/') + 1));
  if (only !== undefined) return literalTypeOf([only]);
  if (Array.isArray(values)) return literalTypeOf(values);
  if (Array.isArray(anyOf)) return unionTypeOf(anyOf as Schema[], name, declare);
  if (Array.isArray(type))
    return unionTypeOf(
      type.map((one) => ({ ...schema, type: one as string })),
      name,
      declare,
    );
  return plainTypeOf(schema, name, declare);
}

/** One of several texts is open: a newer server may have more of them. A single one tells the members of a union. */
function literalTypeOf(values: readonly unknown[]): string {
  const literal = `Literal[${values.map(pythonLiteralOf).join(', ')}]`;
  return values.length > 1 ? `Annotated[${literal}, OPEN]` : literal;
}

function unionTypeOf(options: readonly Schema[], name: string, declare: DeclareModel): string {
  const texts = options.filter((option) => typeof option['const'] === 'string').map((option) => option['const']);
  const others = options.filter((option) => typeof option['const'] !== 'string');
  const own = others.filter((option) => option['properties'] !== undefined).length > 1;
  const types = others.map((option, place) =>
    pythonTypeOf(option, own ? `${name}Option${String(place + 1)}` : name, declare),
  );
  const all = [...new Set([...(texts.length === 0 ? [] : [literalTypeOf(texts)]), ...types])];
  if (all.includes('Any')) return 'Any';
  return [...all.filter((one) => one !== 'None'), ...all.filter((one) => one === 'None')].join(' | ');
}

function plainTypeOf(schema: Schema, name: string, declare: DeclareModel): string {
  switch (schema['type']) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `list[${pythonTypeOf((schema['items'] ?? {}) as Schema, `${name}Item`, declare)}]`;
    case 'object':
      return objectTypeOf(schema, name, declare);
    default:
      return schema['properties'] === undefined ? 'Any' : objectTypeOf(schema, name, declare);
  }
}

function objectTypeOf(schema: Schema, name: string, declare: DeclareModel): string {
  const isNamed = Object.keys((schema['properties'] ?? {}) as object).length > 0;
  if (isNamed) {
    declare(name, schema);
    return name;
  }
  const [pattern] = Object.values((schema['patternProperties'] ?? {}) as Record<string, Schema>);
  const more = schema['additionalProperties'];
  const value = pattern ?? (typeof more === 'object' && more !== null ? (more as Schema) : {});
  return `dict[str, ${pythonTypeOf(value, `${name}Value`, declare)}]`;
}

/** A model with its members, each with what the document says about it. */
export function modelOf(name: string, schema: Schema, declare: DeclareModel): string {
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
    // A member without a value must not come before one that has none.
    .sort(([one], [other]) => Number(required.has(other)) - Number(required.has(one)))
    .flatMap(([member, own]) => memberOf(member, own, { model: name, isRequired: required.has(member), declare }));
  const text = docOf(schema['description'], '    ');
  return [`class ${name}(ApiObject):`, ...text, ...(members.length === 0 ? ['    pass'] : members)].join('\n');
}

function memberOf(
  member: string,
  schema: Schema,
  { model, isRequired, declare }: { model: string; isRequired: boolean; declare: DeclareModel },
): string[] {
  const name = pythonNameOf(member);
  const type = pythonTypeOf(schema, `${model}${pascalOf(member)}`, declare);
  const optional = isRequired || type === 'Any' || type.endsWith('None') ? type : `${type} | None`;
  const alias = name === member ? [] : [`alias=${JSON.stringify(member)}`];
  const value = isRequired ? [] : ['default=None'];
  const field = [...value, ...alias].join(', ');
  const assigned = alias.length > 0 ? ` = Field(${field})` : isRequired ? '' : ' = None';
  return [`    ${name}: ${optional}${assigned}`, ...docOf(schema['description'], '    ')];
}

/** A documentation string of one line; none without a text. */
export const docOf = (text: unknown, indent: string): string[] =>
  typeof text === 'string' && text !== ''
    ? [`${indent}"""${text.replaceAll('\\', '\\\\').replaceAll('"', "'").replaceAll('\n', ' ')}"""`]
    : [];
