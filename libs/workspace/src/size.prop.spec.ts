// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { diff } from './diff.ts';
import { growthOf, mostGrown, sizeOf } from './size.ts';
import { emptyTree } from './snapshot.ts';
import { BlobMap, deltaBetween, DIR, file, play, steps, type Model } from './tree-model.contract.ts';

const NOTHING: Model = new Map();
/** Hundreds of trees per property: on a busy machine more than the default time limit of a test. */
const LONG_MS = 60_000;

describe('the size of a tree', () => {
  it(
    'is what its map holds, and what a delta adds leads from one to the other',
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, steps, async (first, second) => {
          const blobs = new BlobMap();
          const [from, to] = [play(NOTHING, first), play(play(NOTHING, first), second)];
          const [a, b] = [
            await blobs.apply(emptyTree().root, deltaBetween(NOTHING, from)),
            await blobs.apply(emptyTree().root, deltaBetween(NOTHING, to)),
          ];
          const [before, growth, after] = [
            await sizeOf(blobs.reader, a),
            growthOf(await diff(blobs.reader, a, b)),
            await sizeOf(blobs.reader, b),
          ];
          expect(after).toEqual({ files: to.size, bytes: [...to.values()].reduce((sum, { size }) => sum + size, 0) });
          expect({ files: before.files + growth.files, bytes: before.bytes + growth.bytes }).toEqual(after);
        }),
      );
    },
    LONG_MS,
  );
});

test('the largest addition is found by bytes, then by entries; deletions do not count', () => {
  const [small, large] = [file('x'), file('longer')];
  const named = (from: Record<string, typeof small>, to: Record<string, typeof small>): string | null =>
    mostGrown(deltaBetween(new Map(Object.entries(from)), new Map(Object.entries(to))));
  expect(named({ a: small }, { a: large, b: small })).toBe('a');
  expect(named({}, { d: DIR })).toBe('d');
  expect(named({ a: large }, { a: small })).toBeNull();
});
