// SPDX-License-Identifier: Apache-2.0
import type { Grant } from '@writ/contract';

/** Lists of a grant that may be left out. Absent and empty mean the same: nothing of the kind is granted. */
const OPTIONAL_LISTS = ['profiles', 'effects'] as const;
type OptionalList = (typeof OPTIONAL_LISTS)[number];
type OptionalLists = Pick<Grant, OptionalList>;

/** A child's lists: what is asked for, or the parent's where nothing is. An empty one is left out. */
export function optionalLists(asked: OptionalLists, parent: OptionalLists): OptionalLists {
  const lists = OPTIONAL_LISTS.map((name) => [name, asked[name] ?? parent[name] ?? []] as const);
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0)) as OptionalLists;
}

/** What the child has in each list beyond the parent. */
export function optionalBeyond(
  child: OptionalLists,
  parent: OptionalLists,
): readonly (readonly [OptionalList, readonly string[]])[] {
  return OPTIONAL_LISTS.map((name) => {
    const granted: readonly string[] = parent[name] ?? [];
    return [name, (child[name] ?? []).filter((member) => !granted.includes(member))] as const;
  });
}

/** The request for none of any of them. One that is left out of a request would be the parent's. */
export const noOptionalLists = (): OptionalLists =>
  Object.fromEntries(OPTIONAL_LISTS.map((name) => [name, []])) as OptionalLists;
