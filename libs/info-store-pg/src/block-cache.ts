// SPDX-License-Identifier: Apache-2.0
import type { VectorBlock } from './top-hits.ts';

const bytesOf = ({ ids, vectors }: VectorBlock): number => ids.byteLength + vectors.byteLength;

/** The vectors of versions of stores, the least recently used of which are evicted first. */
export class BlockCache {
  readonly #bytesMax: number;
  /** in the order of use */
  readonly #stores = new Map<string, readonly VectorBlock[]>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** All blocks of a version, or null if it isn't cached. */
  get(key: string): readonly VectorBlock[] | null {
    const blocks = this.#stores.get(key);
    if (blocks === undefined) return null;
    this.#stores.delete(key);
    this.#stores.set(key, blocks);
    return blocks;
  }

  /** Evicts others until the bytes fit, and counts them. False: they are more than the cache may have. */
  reserve(block: VectorBlock): boolean {
    const bytes = bytesOf(block);
    for (const [key, blocks] of this.#stores) {
      if (this.#bytes + bytes <= this.#bytesMax) break;
      this.#stores.delete(key);
      this.release(blocks);
    }
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Gives back what was reserved for the blocks. */
  release(blocks: readonly VectorBlock[]): void {
    for (const block of blocks) this.#bytes -= bytesOf(block);
  }

  /** Caches all blocks of a version, which are reserved. Its store's older versions are evicted: nobody needs them. */
  set(key: string, blocks: readonly VectorBlock[]): void {
    const store = storeOf(key);
    for (const [other, old] of this.#stores) {
      if (storeOf(other) !== store) continue;
      this.#stores.delete(other);
      this.release(old);
    }
    this.#stores.set(key, blocks);
  }
}

/** The key of a version: the tenant, the store, and behind the last colon the version. */
export const cacheKey = (tenantId: string, storeKey: number, version: number): string =>
  `${tenantId}:${storeKey}:${version}`;

const storeOf = (key: string): string => key.slice(0, key.lastIndexOf(':'));
