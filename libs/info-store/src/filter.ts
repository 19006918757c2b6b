// SPDX-License-Identifier: Apache-2.0
import { parseObject } from './document.ts';
import { invalid } from './info-store-error.ts';
import { parseMetadataName, parseMetadataValue, type MetadataValue } from './metadata.ts';

/** Members of a range. Texts compare by code points. */
export const RANGE_OPERATORS = ['gt', 'gte', 'lt', 'lte'] as const;
export type RangeOperator = (typeof RANGE_OPERATORS)[number];

/**
 * A condition on metadata, as closed JSON. A member that is missing, or of another type than the value, fulfils no
 * condition on it. There is no negation, so that always means that the document doesn't match.
 */
export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly field: string; readonly eq: MetadataValue }
  | { readonly field: string; readonly in: readonly MetadataValue[] }
  | ({ readonly field: string } & { readonly [K in RangeOperator]?: string | number });

/** Nested `and` and `or`: more than people write, and far from any stack's end. */
const DEPTH_MAX = 8;
/** Conditions and groups of a filter, which are evaluated for each document of a store. */
const PARTS_MAX = 64;
/** Values of an `in`. */
const VALUES_MAX = 100;

/**
 * Checks a filter that a caller sent. Total: the work is bounded by its limits.
 * @throws InfoStoreError `invalid`, with the place in `pointer`
 */
export function parseFilter(value: unknown, pointer = '/filters'): Filter {
  return parsePart(value, pointer, { left: PARTS_MAX }, 1);
}

function parsePart(value: unknown, pointer: string, parts: { left: number }, depth: number): Filter {
  parts.left -= 1;
  if (parts.left < 0) throw invalid(pointer, `a filter has at most ${PARTS_MAX} conditions and groups`);
  if (depth > DEPTH_MAX) throw invalid(pointer, `a filter is nested at most ${DEPTH_MAX} deep`);
  const part = parseObject(value, pointer, ['and', 'or', 'field', 'eq', 'in', ...RANGE_OPERATORS]);
  const names = Object.keys(part);
  const group = (['and', 'or'] as const).find((name) => names.includes(name));
  if (group === undefined) return parseCondition(part, pointer);
  if (names.length > 1) throw invalid(pointer, `a group has the member \`${group}\` alone`);
  const members = parseMembers(part[group], `${pointer}/${group}`, PARTS_MAX).map((member, n) =>
    parsePart(member, `${pointer}/${group}/${n}`, parts, depth + 1),
  );
  return group === 'and' ? { and: members } : { or: members };
}

function parseCondition(part: Record<string, unknown>, pointer: string): Filter {
  const field = parseMetadataName(part['field'], `${pointer}/field`);
  const operators = Object.keys(part).filter((name) => name !== 'field');
  if (operators.length === 1 && operators[0] === 'eq')
    return { field, eq: parseMetadataValue(part['eq'], `${pointer}/eq`) };
  if (operators.length === 1 && operators[0] === 'in') {
    const values = parseMembers(part['in'], `${pointer}/in`, VALUES_MAX);
    return { field, in: values.map((each, n) => parseMetadataValue(each, `${pointer}/in/${n}`)) };
  }
  if (operators.length === 0 || operators.some((name) => name === 'eq' || name === 'in'))
    throw invalid(pointer, 'a condition has `eq`, or `in`, or a range of `gt`, `gte`, `lt` and `lte`');
  const range = operators.map((name) => {
    const bound = parseMetadataValue(part[name], `${pointer}/${name}`);
    if (typeof bound === 'boolean') throw invalid(`${pointer}/${name}`, 'a range has numbers or texts');
    return [name, bound] as const;
  });
  return { field, ...(Object.fromEntries(range) as { readonly [K in RangeOperator]?: string | number }) };
}

function parseMembers(value: unknown, pointer: string, max: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > max)
    throw invalid(pointer, `a list of 1 to ${max} members is needed here`);
  return value as readonly unknown[];
}
