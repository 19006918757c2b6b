// SPDX-License-Identifier: Apache-2.0
import { rootOf } from './frontier.ts';
import { leafHash } from './hash.ts';
import { HashedTile } from './hashed-tile.ts';
import { MerkleError } from './merkle-error.ts';
import { encodeTile } from './tile-content.ts';
import { entriesOf } from './tree.contract.ts';

const hashes = entriesOf(256).map(leafHash);

it.each([1, 2, 3, 7, 64, 66, 255, 256])(
  'returns the root over every complete group of hashes in a tile of %i, and of no other',
  (width) => {
    const tile = new HashedTile(encodeTile(hashes.slice(0, width)));
    expect(tile.width).toBe(width);
    for (let height = 0; height <= 8; height += 1) {
      const count = 2 ** height;
      const groups = Math.floor(width / count);
      for (let index = 0; index < groups; index += 1)
        expect(tile.hashAt(height, index)).toEqual(rootOf(hashes.slice(index * count, (index + 1) * count)));
      expect(() => tile.hashAt(height, groups)).toThrow(MerkleError);
    }
  },
);

it('refuses what is no tile and what is not in one', () => {
  for (const bytes of [0, 1, 31, 33, 257 * 32])
    expect(() => new HashedTile(new Uint8Array(bytes))).toThrow(MerkleError);
  const tile = new HashedTile(encodeTile(hashes));
  for (const [height, index] of [
    [9, 0],
    [-1, 0],
    [0, -1],
  ] as const)
    expect(() => tile.hashAt(height, index)).toThrow(MerkleError);
});
