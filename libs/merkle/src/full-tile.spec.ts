// SPDX-License-Identifier: Apache-2.0
import { rootOf } from './frontier.ts';
import { FullTile } from './full-tile.ts';
import { leafHash } from './hash.ts';
import { MerkleError } from './merkle-error.ts';
import { encodeTile } from './tile-content.ts';
import { entriesOf } from './tree.contract.ts';

const hashes = entriesOf(256).map(leafHash);

it('gives the root over every group of hashes that a tile has', () => {
  const tile = new FullTile(encodeTile(hashes));
  for (let height = 0; height <= 8; height += 1) {
    const count = 2 ** height;
    for (let index = 0; index < 256 / count; index += 1) expect(tile.hashAt(height, index)).toEqual(rootOf(hashes.slice(index * count, (index + 1) * count)));
  }
});

it('refuses what is no full tile and what is not in one', () => {
  expect(() => new FullTile(encodeTile(hashes.slice(1)))).toThrow(MerkleError);
  expect(() => new FullTile(new Uint8Array(257 * 32))).toThrow(MerkleError);
  const tile = new FullTile(encodeTile(hashes));
  for (const [height, index] of [[0, 256], [8, 1], [9, 0], [-1, 0], [0, -1]] as const) expect(() => tile.hashAt(height, index)).toThrow(MerkleError);
});
