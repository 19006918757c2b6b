// SPDX-License-Identifier: Apache-2.0
import { pointerOf, namesIn } from '@writ/contract';
import { Unusable } from './problems.ts';
import { isObject, type Json } from './read-document.ts';

/** A part of the document, and where it lies. */
export interface Located<T = unknown> {
  readonly value: T;
  /** JSON pointer (RFC 6901) from the root */
  readonly pointer: string;
}

/** References that lead to references. */
const HOPS_MAX = 16;

/** A member of an object, with its place. */
export const memberOf = ({ value, pointer }: Located, name: string): Located => ({
  value: isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
  pointer: `${pointer}${pointerOf(name)}`,
});

/** The members of an object, each with its place; none for what is no object. */
export const membersOf = ({ value, pointer }: Located): [name: string, member: Located][] =>
  isObject(value)
    ? Object.entries(value).map(([name, member]) => [name, { value: member, pointer: `${pointer}${pointerOf(name)}` }])
    : [];

/** The entries of a list, each with its place; none for what is no list. */
export const entriesOf = ({ value, pointer }: Located): Located[] =>
  Array.isArray(value) ? value.map((entry: unknown, n) => ({ value: entry, pointer: `${pointer}/${n}` })) : [];

/**
 * The place that a reference leads to, within the document. INVARIANT (nothing is fetched): a reference to another
 * document is refused by its name. @throws Unusable
 */
export function targetOf(root: Json, reference: string, pointer: string): Located {
  if (!reference.startsWith('#'))
    throw new Unusable(
      `${pointer}/$ref`,
      `refers to another document: \`${reference.slice(0, 200)}\``,
      'bundle the documents into one before the import',
    );
  if (reference !== '#' && !reference.startsWith('#/'))
    throw new Unusable(
      `${pointer}/$ref`,
      `refers to the anchor \`${reference.slice(0, 200)}\``,
      'refer to it by its path',
    );
  let found: Located = { value: root, pointer: '' };
  for (const name of namesIn(decodedFragment(reference, pointer))) {
    found = Array.isArray(found.value)
      ? { value: (found.value as unknown[])[Number(name)], pointer: `${found.pointer}${pointerOf(name)}` }
      : memberOf(found, name);
  }
  if (found.value === undefined)
    throw new Unusable(`${pointer}/$ref`, `refers to \`${reference.slice(0, 200)}\`, which the document hasn't`);
  return found;
}

function decodedFragment(reference: string, pointer: string): string {
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    throw new Unusable(`${pointer}/$ref`, `is no reference: \`${reference.slice(0, 200)}\``);
  }
}

/** A part of the document, or the one that it refers to. @throws Unusable where that is no object */
export function resolved(root: Json, part: Located): Located<Json> {
  let at = part;
  for (let hops = 0; hops < HOPS_MAX; hops += 1) {
    if (!isObject(at.value)) throw new Unusable(at.pointer, 'is no object');
    const { $ref } = at.value;
    if (typeof $ref !== 'string') return { value: at.value, pointer: at.pointer };
    at = targetOf(root, $ref, at.pointer);
  }
  throw new Unusable(part.pointer, 'refers to itself, or through too many references');
}
