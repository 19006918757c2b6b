// SPDX-License-Identifier: Apache-2.0
import type { Grant } from '@writ/contract';
import { coversResource } from './resource-pattern.ts';

/** Lists of a grant that may be left out. Absent and empty are equal: nothing of the kind is granted. */
const OPTIONAL_LISTS = ['profiles', 'resources', 'effects'] as const;
type OptionalList = (typeof OPTIONAL_LISTS)[number];
type OptionalLists = Pick<Grant, OptionalList>;

/** A child's lists: the requested ones, or else the parent's. An empty one is left out. */
export function optionalLists(requested: OptionalLists, parent: OptionalLists): OptionalLists {
  const lists = OPTIONAL_LISTS.map((name) => [name, requested[name] ?? parent[name] ?? []] as const);
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0)) as OptionalLists;
}

/** The members of each of the child's lists that the parent doesn't grant. */
export function optionalBeyond(
  child: OptionalLists,
  parent: OptionalLists,
): readonly (readonly [OptionalList, readonly string[]])[] {
  return OPTIONAL_LISTS.map((name) => {
    const granted: readonly string[] = parent[name] ?? [];
    const isGranted = (member: string): boolean =>
      name === 'resources' ? granted.some((outer) => coversResource(outer, member)) : granted.includes(member);
    return [name, (child[name] ?? []).filter((member) => !isGranted(member))] as const;
  });
}

/** The request for empty lists. A list that is left out of a request would be the parent's. */
export const noOptionalLists = (): OptionalLists =>
  Object.fromEntries(OPTIONAL_LISTS.map((name) => [name, []])) as OptionalLists;
