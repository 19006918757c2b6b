// SPDX-License-Identifier: Apache-2.0
import { isTokenListed, type BoundResource, type Grant } from '@writ/contract';

/** Answers whether an entry (`info_store:*` or `info_store:handbook`) covers another one. */
export function coversResource(outer: string, inner: string): boolean {
  return outer === inner || (outer.endsWith(':*') && inner.startsWith(outer.slice(0, -1)));
}

/**
 * Answers whether every token of the chain lists the resource. Kinds that tokens bound by other parts of a grant need
 * no entry. An empty chain lists nothing.
 */
export function listsResource(
  chain: readonly { readonly grant: Pick<Grant, 'resources'> }[],
  { kind, name }: Pick<BoundResource, 'kind' | 'name'>,
): boolean {
  if (!isTokenListed(kind)) return true;
  const entry = `${kind}:${name}`;
  return (
    chain.length > 0 &&
    chain.every(({ grant }) => grant.resources?.some((outer) => coversResource(outer, entry)) === true)
  );
}
