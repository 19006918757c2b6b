// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import { inTurns, type Turns } from './in-turns.ts';

/**
 * A sample of a list, selected by a keyed hash over all its paths. Without the key, nobody can predict the sample, or
 * infer anything from the sample of another list. Takes one hash for the list and one for each sampled member.
 */
export async function keyedSample<T extends { readonly path: string }>(
  key: Uint8Array,
  all: readonly T[],
  count: number,
  turns: Turns,
): Promise<readonly T[]> {
  const hash = createHmac('sha256', key);
  for await (const some of inTurns(all, turns)) hash.update(`${some.map(({ path }) => path).join('\0')}\0`);
  return seededSample(hash.digest(), all, count);
}

/** The same with a secret seed. */
export function seededSample<T>(seed: Uint8Array, all: readonly T[], count: number): readonly T[] {
  const moved = new Map<number, number>();
  return Array.from({ length: Math.min(count, all.length) }, (_, at) => {
    // A shuffle that ends early: it remembers swapped members instead of swapping them.
    const chosen = at + (numberAt(seed, at) % (all.length - at));
    const [index, other] = [moved.get(chosen) ?? chosen, moved.get(at) ?? at];
    moved.set(chosen, other);
    return all[index] as T;
  });
}

/** Six bytes: so many more values than members that the remainder is unbiased. */
const numberAt = (seed: Uint8Array, at: number): number =>
  createHmac('sha256', seed).update(String(at)).digest().readUIntBE(0, 6);
