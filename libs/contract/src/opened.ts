// SPDX-License-Identifier: Apache-2.0
import type { TSchema } from 'typebox';

/**
 * The schema without its ban on unknown members, at any depth: a process that is one version ahead may say more than
 * this one knows, and a reader between our own processes ignores it.
 */
export function opened<S extends TSchema>(schema: S): S {
  return open(schema) as S;
}

function open(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(open);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.create(Object.getPrototypeOf(node) as object, Object.getOwnPropertyDescriptors(node)) as Record<
    string,
    unknown
  >;
  for (const [name, value] of Object.entries(node)) copy[name] = open(value);
  if (copy['additionalProperties'] === false) delete copy['additionalProperties'];
  return copy;
}
