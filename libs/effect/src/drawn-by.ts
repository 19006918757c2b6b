// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import { inTurns, type Turns } from './in-turns.ts';

/**
 * So many of a list, drawn by a keyed hash over all its paths: whoever does not know the key can tell neither which,
 * nor, from what was drawn of one list, anything of another. Takes one hash for the list and one for each that is
 * drawn.
 */
export async function drawnBy<T extends { readonly path: string }>(
  key: Uint8Array,
  all: readonly T[],
  count: number,
  turns: Turns,
): Promise<readonly T[]> {
  const hash = createHmac('sha256', key);
  for await (const some of inTurns(all, turns)) hash.update(`${some.map(({ path }) => path).join('\0')}\0`);
  return drawn(hash.digest(), all, count);
}

/** The same for a seed that nobody else knows. */
export function drawn<T>(seed: Uint8Array, all: readonly T[], count: number): readonly T[] {
  const moved = new Map<number, number>();
  return Array.from({ length: Math.min(count, all.length) }, (_, at) => {
    // A shuffle that ends early: what would have been swapped to a place is remembered instead.
    const chosen = at + (numberAt(seed, at) % (all.length - at));
    const [index, other] = [moved.get(chosen) ?? chosen, moved.get(at) ?? at];
    moved.set(chosen, other);
    return all[index] as T;
  });
}

/** Six bytes: so many more than there are members that the remainder prefers none. */
const numberAt = (seed: Uint8Array, at: number): number =>
  createHmac('sha256', seed).update(String(at)).digest().readUIntBE(0, 6);
