// SPDX-License-Identifier: Apache-2.0
import type { NodeEntry } from './node-entry.ts';

/** A directory of some three hundred files. Smaller ones are parsed as quickly as they are found in a cache. */
export const LARGE_BYTES = 64 * 1024;

/**
 * A cache of parsed large directories, by the hash of their bytes: parsing one of 20,000 files takes some thirty
 * milliseconds, and a call does it several times. A caller has the bytes, and their hash was checked, so the cache
 * reveals nothing new. The least recently used is evicted first.
 */
export class LargeNodes {
  readonly #bytesMax: number;
  readonly #cached = new Map<string, { readonly entries: readonly NodeEntry[]; readonly bytes: number }>();
  #bytes = 0;

  /** @param bytesMax limit on the bytes of the cached nodes; their entries need some four times that in memory */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(sha256: string): readonly NodeEntry[] | undefined {
    const kept = this.#cached.get(sha256);
    if (kept === undefined) return undefined;
    this.#cached.delete(sha256);
    this.#cached.set(sha256, kept);
    return kept.entries;
  }

  put(sha256: string, entries: readonly NodeEntry[], bytes: number): void {
    if (this.#cached.has(sha256)) return;
    this.#cached.set(sha256, { entries, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: theirs }] of this.#cached) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#cached.delete(oldest);
      this.#bytes -= theirs;
    }
  }
}
