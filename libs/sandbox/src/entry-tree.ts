// SPDX-License-Identifier: Apache-2.0
import type { FileState } from '@writ/contract';
import { parentsOf } from './path.ts';

/** Entries by path that together can stand in one directory: each once, and nothing below what isn't a directory. */
export class EntryTree {
  readonly #entries = new Map<string, FileState>();
  readonly #parents = new Set<string>();

  /** Adds an entry; answers what keeps it from standing beside the others, or null. */
  add(path: string, state: FileState): string | null {
    if (this.#entries.has(path)) return 'appears twice';
    if (state.kind !== 'dir' && this.#parents.has(path)) return 'has entries below it and is no directory';
    for (const parent of parentsOf(path)) {
      const above = this.#entries.get(parent);
      if (above && above.kind !== 'dir') return 'is below an entry that is no directory';
      this.#parents.add(parent);
    }
    this.#entries.set(path, state);
    return null;
  }

  /** What stands at the path as an entry of its own: a file, a link or an empty directory. */
  leaf(path: string): FileState | null {
    return this.#parents.has(path) ? null : (this.#entries.get(path) ?? null);
  }

  /** Every leaf, in the order in which they were added. */
  *leaves(): Generator<[string, FileState]> {
    for (const entry of this.#entries) if (!this.#parents.has(entry[0])) yield entry;
  }
}
