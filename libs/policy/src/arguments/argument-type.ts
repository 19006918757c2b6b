// SPDX-License-Identifier: Apache-2.0
import { nameOfToken } from '@writ/contract';
//
// The Cedar type of a tool's arguments, from the JSON Schema of its definition. Schemas are attacker-controlled:
// tenants and other servers write them.

/** The type of one argument that rules can read. `decimal` is Cedar's extension with four fraction digits. */
export type ArgumentType =
  | { readonly kind: 'String' | 'Long' | 'decimal' | 'Bool' }
  | { readonly kind: 'Set'; readonly item: ArgumentType }
  | RecordType;

/** The type of an object with declared properties, and of all arguments together. */
export interface RecordType {
  readonly kind: 'Record';
  /** the properties that have a type, by name in the order of code units; all others have none, declared or not */
  readonly members: readonly Member[];
}

export interface Member {
  readonly name: string;
  readonly type: ArgumentType;
  /** whether arguments that fit the schema always have it */
  readonly required: boolean;
}

/**
 * Limits on the type of a tool: parts (properties and items, typed or not) and their nesting. References can make a
 * small schema describe a huge one. What is beyond has no type.
 */
export const TYPE_LIMITS = { parts: 512, depth: 8, nameChars: 128, referenceChars: 512 } as const;

/**
 * Names that Cedar's text and JSON write as they are. Cedar's JSON and JavaScript give meanings of their own to some
 * names that begin with `__`.
 */
const PLAIN_NAME = /^(?!__)[^\p{C}"\\]+$/u;

type Schema = Readonly<Record<string, unknown>>;

interface Reading {
  readonly root: Schema;
  /** references that are being followed: one of them again is a recursion */
  readonly following: ReadonlySet<string>;
  readonly depth: number;
  readonly budget: { parts: number };
}

const types = new WeakMap<object, RecordType>();

/**
 * The type of the arguments that a schema describes. It has no members for a schema that describes no object. Unions of
 * different types, null, objects without declared properties, lists of mixed items and recursive parts have no type.
 */
export function argumentsType(schema: object): RecordType {
  const cached = types.get(schema);
  if (cached !== undefined) return cached;
  const root = schema as Schema;
  const budget = { parts: TYPE_LIMITS.parts };
  const type = typeOf(schema, { root, following: new Set(), depth: 0, budget });
  const record: RecordType = type?.kind === 'Record' ? type : { kind: 'Record', members: [] };
  types.set(schema, record);
  return record;
}

function typeOf(schema: unknown, reading: Reading): ArgumentType | null {
  reading.budget.parts -= 1;
  if (!isObject(schema) || reading.depth > TYPE_LIMITS.depth || reading.budget.parts < 0) return null;
  const { type, $ref: reference } = schema;
  const named = Array.isArray(type) && type.length === 1 ? (type[0] as unknown) : type;
  if (reading.depth > 0 && schema['$id'] !== undefined) return null;
  if (named === undefined && reference !== undefined) return referencedType(reference, reading);
  switch (named) {
    case 'string':
      return { kind: 'String' };
    case 'integer':
      return { kind: 'Long' };
    case 'number':
      return { kind: 'decimal' };
    case 'boolean':
      return { kind: 'Bool' };
    case 'array':
      return setType(schema, reading);
    case 'object':
      return recordType(schema, reading);
    case undefined:
      return choiceType(schema) ?? unionType(schema, reading);
    default:
      return null;
  }
}

/** A part of the same document, by its JSON pointer. */
function referencedType(reference: unknown, reading: Reading): ArgumentType | null {
  if (typeof reference !== 'string' || reference.length > TYPE_LIMITS.referenceChars) return null;
  if (!reference.startsWith('#/') || reading.following.has(reference)) return null;
  const following = new Set([...reading.following, reference]);
  return typeOf(partAt(reading.root, reference.slice(2)), { ...reading, following, depth: reading.depth + 1 });
}

function partAt(root: Schema, pointer: string): unknown {
  let part: unknown = root;
  for (const step of pointer.split('/')) {
    const name = decoded(step);
    if (name === null || !isObject(part) || !Object.hasOwn(part, name)) return undefined;
    part = part[name];
  }
  return part;
}

function decoded(step: string): string | null {
  try {
    return nameOfToken(decodeURIComponent(step));
  } catch {
    return null;
  }
}

function setType({ items, prefixItems }: Schema, reading: Reading): ArgumentType | null {
  if (prefixItems !== undefined) return null;
  const item = typeOf(items, { ...reading, depth: reading.depth + 1 });
  return item === null ? null : { kind: 'Set', item };
}

function recordType({ properties, required }: Schema, reading: Reading): RecordType | null {
  if (!isObject(properties) || Object.keys(properties).length === 0) return null;
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const members: Member[] = [];
  for (const name of Object.keys(properties).sort(byCodeUnits)) {
    if (reading.budget.parts <= 0) break;
    const isPlain = name.length <= TYPE_LIMITS.nameChars && PLAIN_NAME.test(name);
    if (!isPlain) reading.budget.parts -= 1;
    const type = isPlain ? typeOf(properties[name], { ...reading, depth: reading.depth + 1 }) : null;
    if (type !== null) members.push({ name, type, required: needed.has(name) });
  }
  return { kind: 'Record', members };
}

/** A list of values without a type of their own: numbers among them could be of either kind. */
function choiceType({ enum: choices, const: only }: Schema): ArgumentType | null {
  const values = Array.isArray(choices) ? (choices as unknown[]) : only === undefined ? [] : [only];
  if (values.length === 0) return null;
  if (values.every((value) => typeof value === 'string')) return { kind: 'String' };
  return values.every((value) => typeof value === 'boolean') ? { kind: 'Bool' } : null;
}

/** Alternatives that all have the same simple type: such as the texts of a list, each with words about it. */
function unionType({ anyOf, oneOf }: Schema, reading: Reading): ArgumentType | null {
  const choices = anyOf ?? oneOf;
  if (!Array.isArray(choices)) return null;
  let found: ArgumentType | null = null;
  for (const choice of choices as unknown[]) {
    const type = typeOf(choice, { ...reading, depth: reading.depth + 1 });
    if (type === null || !isSimple(type) || (found !== null && found.kind !== type.kind)) return null;
    found = type;
  }
  return found;
}

const isSimple = ({ kind }: ArgumentType): boolean => kind !== 'Record' && kind !== 'Set';
const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The type in Cedar's schema language. */
export function cedarTypeText(type: ArgumentType): string {
  if (type.kind === 'Set') return `Set<${cedarTypeText(type.item)}>`;
  if (type.kind !== 'Record') return type.kind;
  if (type.members.length === 0) return '{}';
  const members = type.members.map(
    ({ name, type: own, required }) => `${quotedName(name)}${required ? '' : '?'}: ${cedarTypeText(own)}`,
  );
  return `{ ${members.join(', ')} }`;
}

/** Names that need no quotes: identifiers that are no words of Cedar. */
const IDENTIFIER = /^(?!(?:in|if|then|else|is|like|has|true|false)$)[A-Za-z_][A-Za-z0-9_]*$/;
const quotedName = (name: string): string => (IDENTIFIER.test(name) ? name : `"${name}"`);

/** How many attributes and items the type has, all nested ones included. */
export function partsOf(type: ArgumentType): number {
  if (type.kind === 'Set') return 1 + partsOf(type.item);
  return type.kind === 'Record' ? type.members.reduce((sum, member) => sum + partsOf(member.type), 1) : 1;
}
