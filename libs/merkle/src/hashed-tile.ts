// SPDX-License-Identifier: Apache-2.0
import { HASH_BYTES, nodeHash } from './hash.ts';
import { MerkleError } from './merkle-error.ts';
import { TILE_HEIGHT, TILE_WIDTH } from './tile-layout.ts';

/**
 * A tile with the roots of all perfect subtrees over its hashes, so that frequent nodes are hashed once. It is one
 * array of bytes, since five hundred arrays of 32 bytes need several times the memory.
 */
export class HashedTile {
  /** How many hashes it has: 1 to 256. */
  readonly width: number;
  /** The hashes, then the level above, and so on: at most twice the bytes of the tile. */
  readonly #nodes: Uint8Array;
  /** The node index where each height begins, and where the last one ends. */
  readonly #starts: readonly number[];

  /** @throws MerkleError `bad_tile` for bytes that aren't 1 to 256 hashes */
  constructor(bytes: Uint8Array) {
    this.width = bytes.length / HASH_BYTES;
    if (!Number.isInteger(this.width) || this.width < 1 || this.width > TILE_WIDTH) throw new MerkleError('bad_tile');
    const starts = [0];
    for (let height = 0; height <= TILE_HEIGHT; height += 1)
      starts.push((starts[height] as number) + this.#countAt(height));
    this.#starts = starts;
    this.#nodes = new Uint8Array((starts[TILE_HEIGHT + 1] as number) * HASH_BYTES);
    this.#nodes.set(bytes);
    for (let height = 1; height <= TILE_HEIGHT; height += 1) this.#hashLevel(height);
  }

  /**
   * The root over `2^height` neighbouring hashes of the tile, the `index`-th such group from the left. A view: callers
   * MUST NOT write into it.
   *
   * @throws MerkleError `bad_tile` for a node outside of the tile
   */
  hashAt(height: number, index: number): Uint8Array {
    if (!(height >= 0 && height <= TILE_HEIGHT && index >= 0 && index < this.#countAt(height)))
      throw new MerkleError('bad_tile');
    return this.#node(height, index);
  }

  #countAt(height: number): number {
    return Math.floor(this.width / 2 ** height);
  }

  #hashLevel(height: number): void {
    for (let index = 0; index < this.#countAt(height); index += 1) {
      this.#nodes.set(
        nodeHash(this.#node(height - 1, 2 * index), this.#node(height - 1, 2 * index + 1)),
        ((this.#starts[height] as number) + index) * HASH_BYTES,
      );
    }
  }

  #node(height: number, index: number): Uint8Array {
    const at = ((this.#starts[height] as number) + index) * HASH_BYTES;
    return this.#nodes.subarray(at, at + HASH_BYTES);
  }
}
