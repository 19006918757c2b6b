// SPDX-License-Identifier: Apache-2.0
import type { Schema } from './api-document.ts';

/** A named schema that would hide a type of TypeScript, by the name of its type. */
const RENAMED: Readonly<Record<string, string>> = { Record: 'RecordEntry' };

export const typeNameOf = (schemaName: string): string => RENAMED[schemaName] ?? schemaName;

const INDENT = '  ';

/** The type of a schema as TypeScript. What it can't express, such as a pattern, is left to the server. */
export function typeOf(schema: Schema, depth = 0): string {
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === 'string') return typeNameOf($ref.slice($ref.lastIndexOf('/') + 1));
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) return unionOf(values.map((value) => JSON.stringify(value)));
  const options = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if (options !== undefined) return unionOf(options.map((option) => typeOf(option, depth)));
  if (Array.isArray(allOf))
    return (allOf as readonly Schema[]).map((part) => parenthesized(typeOf(part, depth))).join(' & ');
  if (Array.isArray(type)) return unionOf((type as string[]).map((one) => typeOf({ ...schema, type: one }, depth)));
  return plainTypeOf(schema, depth);
}

function plainTypeOf(schema: Schema, depth: number): string {
  switch (schema['type']) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `readonly ${parenthesized(typeOf((schema['items'] ?? {}) as Schema, depth))}[]`;
    case 'object':
      return objectTypeOf(schema, depth);
    default:
      // A schema without a type may have members all the same.
      return schema['properties'] === undefined ? 'unknown' : objectTypeOf(schema, depth);
  }
}

/** An object type, its members one a line with what the document says about them. */
export function objectTypeOf(schema: Schema, depth: number): string {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const lines = properties.map(([name, member]) => {
    const text = commentOf(member['description']);
    const comment = text === '' ? '' : `${INDENT.repeat(depth + 1)}${text}\n`;
    return `${comment}${INDENT.repeat(depth + 1)}${keyOf(name)}${required.has(name) ? '' : '?'}: ${typeOf(member, depth + 1)};`;
  });
  const others = otherMembersOf(schema, properties.length > 0, depth + 1);
  if (others !== null) lines.push(`${INDENT.repeat(depth + 1)}[name: string]: ${others};`);
  return lines.length === 0 ? '{ [name: string]: never }' : `{\n${lines.join('\n')}\n${INDENT.repeat(depth)}}`;
}

/** The type of members that have no name in the schema; null where there are none. */
function otherMembersOf(schema: Schema, isNamed: boolean, depth: number): string | null {
  const patterns = Object.values((schema['patternProperties'] ?? {}) as Record<string, Schema>);
  const more = schema['additionalProperties'];
  if (patterns.length === 0 && (more === false || (more === undefined && isNamed))) return null;
  // Named members must fit the index signature.
  if (isNamed) return 'unknown';
  if (patterns.length > 0) return unionOf(patterns.map((pattern) => typeOf(pattern, depth)));
  return typeof more === 'object' && more !== null ? typeOf(more as Schema, depth) : 'unknown';
}

const unionOf = (types: readonly string[]): string => {
  const all = [...new Set(types)];
  return all.includes('unknown') ? 'unknown' : all.map((one) => (one.includes('=>') ? `(${one})` : one)).join(' | ');
};

const parenthesized = (type: string): string => (/ [|&] |^readonly /.test(type) ? `(${type})` : type);

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** A comment of one line; empty without a text. */
export const commentOf = (text: unknown): string =>
  typeof text === 'string' && text !== '' ? `/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */` : '';
