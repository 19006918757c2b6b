// SPDX-License-Identifier: Apache-2.0
import { DOWNLOADED, field, isExact, SECRET, UNKNOWN, type Field, type Source } from '../shell/field.ts';
import { ANYTHING, FROM_NETWORK, KEPT_SECRET, NOTHING, textOf, textSource } from '../shell/source.ts';
import type { SyntaxNode } from '../shell/syntax.ts';

/** The possible values of an expression: each element of it, and each possibility, is a separate field. */
export interface Value {
  readonly fields: readonly Field[];
  /** a block of code */
  readonly block?: SyntaxNode;
  /** a type, without its brackets, in lower case */
  readonly type?: string;
  /** a table, by its keys in lower case */
  readonly entries?: ReadonlyMap<string, Value>;
  /** whether the fields are files from a listing */
  readonly isListing?: boolean;
}

/** More possibilities than this become one unknown value. */
const FIELDS_MAX = 24;

export const NO_VALUE: Value = { fields: [] };
export const UNKNOWN_VALUE: Value = { fields: [field(UNKNOWN)] };
export const textValue = (text: string): Value => ({ fields: [field(text)] });

/** The union of the possible values. */
export function union(values: readonly Value[]): Value {
  const fields = new Map(
    values.flatMap((value) => value.fields).map((one) => [`${one.glob ? 'g' : ''}${one.text}`, one]),
  );
  const block = values.find((value) => value.block)?.block;
  const all =
    fields.size > FIELDS_MAX
      ? [field(UNKNOWN), ...[...fields.values()].filter(({ text }) => text.includes(DOWNLOADED)).slice(0, 1)]
      : [...fields.values()];
  const entries = values.find((value) => value.entries)?.entries;
  return {
    fields: all,
    ...(block ? { block } : {}),
    ...(entries ? { entries } : {}),
    ...(values.some((value) => value.isListing) ? { isListing: true } : {}),
  };
}

/** Every concatenation of one of the first with one of the second. */
export function concatenated(a: Value, b: Value): Value {
  if (a.fields.length * b.fields.length > FIELDS_MAX) return union([tainted(a), tainted(b), UNKNOWN_VALUE]);
  const joined = a.fields.flatMap((left) => b.fields.map((right) => field(left.text + right.text)));
  // Lists are appended and texts are joined; for several values, which of the two applies is unknown.
  return a.fields.length > 1 || b.fields.length > 1 ? union([a, b, { fields: joined }]) : { fields: joined };
}

/** The possible remains of the value after an operation that isn't interpreted: its origin, not its text. */
export function tainted({ fields }: Value): Value {
  const marks = [DOWNLOADED, SECRET].filter((mark) => fields.some(({ text }) => text.includes(mark)));
  return { fields: (marks.length > 0 ? marks : [UNKNOWN]).map((mark) => field(mark)) };
}

/** The value as the input of a program. */
export function sourceOf({ fields, isListing }: Value): Source {
  if (fields.length === 0) return NOTHING;
  if (fields.some(({ text }) => text.includes(DOWNLOADED))) return FROM_NETWORK;
  if (fields.some(({ text }) => text.includes(SECRET))) return KEPT_SECRET;
  if (isListing) return { kind: 'paths', paths: fields };
  return fields.every(({ text }) => isExact(text)) ? textSource(fields.map(({ text }) => text).join('\n')) : ANYTHING;
}

/** The output of a program as a value. */
export function valueOf(source: Source): Value {
  if (source.kind === 'nothing') return NO_VALUE;
  if (source.kind === 'paths') return { fields: source.paths, isListing: true };
  return textValue(textOf(source).replace(/\r?\n$/, ''));
}
