// SPDX-License-Identifier: Apache-2.0

/**
 * A resource that a call may touch, by name. A path includes everything below it; the empty one is the whole workspace.
 */
export interface Touch {
  readonly kind: 'path' | 'host' | 'session';
  readonly name: string;
}

const isWithin = (path: string, root: string): boolean => root === '' || path === root || path.startsWith(`${root}/`);

function overlap(one: Touch, other: Touch): boolean {
  if (one.kind !== other.kind) return false;
  return one.kind === 'path'
    ? isWithin(one.name, other.name) || isWithin(other.name, one.name)
    : one.name === other.name;
}

/**
 * Whether two calls may run at once: they may if their resources are disjoint. Null is a call with unknown resources.
 */
export function areDisjoint(some: readonly Touch[] | null, others: readonly Touch[] | null): boolean {
  if (some === null || others === null) return false;
  return !some.some((one) => others.some((other) => overlap(one, other)));
}
