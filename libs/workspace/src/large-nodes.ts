// SPDX-License-Identifier: Apache-2.0
import type { NodeEntry } from './node-entry.ts';

/** A directory of some three hundred files: below it, reading is as fast as remembering. */
export const LARGE_BYTES = 64 * 1024;

/**
 * What large directories hold, by the hash of their bytes: reading one of 20,000 files takes some thirty milliseconds,
 * and a call does it several times. Whoever asks has shown the bytes, and their hash was checked; so nothing is learnt
 * here that wasn't in hand. Least recently asked out first.
 */
export class LargeNodes {
  readonly #bytesMax: number;
  readonly #kept = new Map<string, { readonly entries: readonly NodeEntry[]; readonly bytes: number }>();
  #bytes = 0;

  /** @param bytesMax bytes of nodes whose entries are kept; those take some four times that in memory */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(sha256: string): readonly NodeEntry[] | undefined {
    const kept = this.#kept.get(sha256);
    if (kept === undefined) return undefined;
    this.#kept.delete(sha256);
    this.#kept.set(sha256, kept);
    return kept.entries;
  }

  keep(sha256: string, entries: readonly NodeEntry[], bytes: number): void {
    if (this.#kept.has(sha256)) return;
    this.#kept.set(sha256, { entries, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: theirs }] of this.#kept) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#kept.delete(oldest);
      this.#bytes -= theirs;
    }
  }
}
