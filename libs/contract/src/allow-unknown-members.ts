// SPDX-License-Identifier: Apache-2.0
import type { TSchema } from 'typebox';

/**
 * The schema without its ban on unknown members, at any depth. A process that is one version ahead may send more
 * members, and readers between our own processes ignore them.
 */
export function allowUnknownMembers<S extends TSchema>(schema: S): S {
  return withoutBans(schema) as S;
}

function withoutBans(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutBans);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.create(Object.getPrototypeOf(node) as object, Object.getOwnPropertyDescriptors(node)) as Record<
    string,
    unknown
  >;
  for (const [name, value] of Object.entries(node)) copy[name] = withoutBans(value);
  if (copy['additionalProperties'] === false) delete copy['additionalProperties'];
  return copy;
}
