// SPDX-License-Identifier: Apache-2.0
import { HASH_BYTES, nodeHash } from './hash.ts';
import { MerkleError } from './merkle-error.ts';
import { TILE_HEIGHT, TILE_WIDTH } from './tile-layout.ts';

/**
 * A full tile with all nodes over its hashes: what never changes and is asked for again and again, hashed once. In one run of bytes, since five hundred arrays
 * of 32 bytes take several times that.
 */
export class FullTile {
  /** The hashes, then the level above, and so on to the root: twice as many bytes as the tile has, but for one hash. */
  readonly #nodes: Uint8Array;

  /** @throws MerkleError `bad_tile` for bytes that aren't 256 hashes */
  constructor(bytes: Uint8Array) {
    if (bytes.length !== TILE_WIDTH * HASH_BYTES) throw new MerkleError('bad_tile');
    this.#nodes = new Uint8Array((2 * TILE_WIDTH - 1) * HASH_BYTES);
    this.#nodes.set(bytes);
    for (let left = 0, at = TILE_WIDTH; at < 2 * TILE_WIDTH - 1; left += 2, at += 1) this.#nodes.set(nodeHash(this.#node(left), this.#node(left + 1)), at * HASH_BYTES);
  }

  /**
   * The root over `2^height` neighbouring hashes of the tile, the `index`-th such group from the left. A view: callers MUST NOT write into it.
   *
   * @throws MerkleError `bad_tile` for what isn't in a tile
   */
  hashAt(height: number, index: number): Uint8Array {
    const count = TILE_WIDTH / 2 ** height;
    if (!(height >= 0 && height <= TILE_HEIGHT && index >= 0 && index < count)) throw new MerkleError('bad_tile');
    return this.#node(2 * (TILE_WIDTH - count) + index);
  }

  #node(position: number): Uint8Array {
    return this.#nodes.subarray(position * HASH_BYTES, (position + 1) * HASH_BYTES);
  }
}
