// SPDX-License-Identifier: Apache-2.0
import { formatId, ID_KINDS, type IdKind } from '@writ/contract';
import { IsOptional, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { MAY_BE_NULL, MOMENT, NUMBERS, TEXTS, textsFor, TRUE } from './example-values.ts';

interface Schema {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly allOf?: readonly TSchema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
}

/** A UUIDv7 of the moment that examples show. Ids of all kinds differ by their prefix. */
const UUID = Buffer.from('019ad85f7a007a3b8c5d6e7f80912a3b', 'hex');
export const EXAMPLE_IDS = Object.fromEntries(
  (Object.keys(ID_KINDS) as IdKind[]).map((kind) => [kind, formatId(kind, UUID)]),
) as Readonly<Record<IdKind, string>>;

/**
 * A value that the schema accepts, as a reader expects it from the name of its member. The same schema gives the same
 * value. @throws for a text whose form no known text has
 */
export function exampleOf(schema: TSchema, name = ''): unknown {
  const { const: constant, enum: values, anyOf, allOf, type } = schema as Schema;
  if (constant !== undefined) return constant;
  if (values !== undefined) return values.find((value) => TEXTS[name]?.includes(String(value)) === true) ?? values[0];
  if (anyOf !== undefined) return ofUnion(anyOf, name);
  if (allOf !== undefined) return Object.assign({}, ...allOf.map((each) => exampleOf(each, name) as object)) as unknown;
  switch (type) {
    case 'object':
      return ofObject(schema as Schema, name);
    case 'array':
      return ofList(schema as Schema, name);
    case 'string':
      return ofText(schema, name);
    case 'integer':
    case 'number':
      return ofNumber(schema as Schema, name);
    case 'boolean':
      return TRUE.has(name);
    case 'null':
      return null;
    default:
      return {};
  }
}

/** The first alternative that isn't null; null for a member that rarely has another value. */
function ofUnion(branches: readonly TSchema[], name: string): unknown {
  const values = branches.filter((branch) => (branch as Schema).type !== 'null');
  if (values.length < branches.length && MAY_BE_NULL.test(name)) return null;
  const [first] = values;
  return first === undefined ? null : exampleOf(first, name);
}

function ofObject({ properties = {}, required = [] }: Schema, name: string): Record<string, unknown> {
  const members = Object.entries(properties).filter(
    ([member, schema]) => required.includes(member) && !IsOptional(schema),
  );
  return Object.fromEntries(members.map(([member, schema]) => [member, exampleOf(schema, nameOf(member, name))]));
}

/** `name` says little: that of a tool is another one than that of a person. */
const nameOf = (member: string, within: string): string =>
  TEXTS[`${within}.${member}`] === undefined ? member : `${within}.${member}`;

function ofList({ items, minItems = 0 }: Schema, name: string): unknown[] {
  if (items === undefined) return [];
  const one = exampleOf(items, name.replace(/s$/, ''));
  return Array.from({ length: Math.max(1, minItems) }, () => one);
}

function ofNumber({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema, name: string): number {
  const wanted = NUMBERS[name] ?? (name.endsWith('_at') || name.endsWith('_until') ? MOMENT : 1);
  return Math.min(maximum, Math.max(minimum, wanted));
}

function ofText(schema: TSchema, name: string): string {
  const { pattern } = schema as Schema;
  const kind = (Object.keys(ID_KINDS) as IdKind[]).find((each) => pattern?.startsWith(`^${ID_KINDS[each]}_`) === true);
  if (kind !== undefined) return EXAMPLE_IDS[kind];
  const known = [...textsFor(name), ...idsNamed(name), ...(TEXTS[''] ?? [])];
  const found = known.find((text) => Value.Check(schema, text));
  if (found === undefined)
    throw new Error(`no text of \`example-values.ts\` is a \`${name}\`: ${JSON.stringify(schema)}`);
  return found;
}

/** The id that a member of that name has, where its schema accepts any text. */
function idsNamed(name: string): string[] {
  const kind = (Object.keys(ID_KINDS) as IdKind[]).find(
    (each) => name === `${each.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_id`,
  );
  return kind === undefined ? [] : [EXAMPLE_IDS[kind]];
}
