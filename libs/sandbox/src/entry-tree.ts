// SPDX-License-Identifier: Apache-2.0
import type { FileState } from '@writ/contract';
import { parentsOf } from './path.ts';

const DIRECTORY: FileState = { kind: 'dir', mode: null, sha256: null, size: 0 };

/**
 * Entries by path that together can stand in one directory: each once, and nothing below what isn't a directory.
 * Directories on the way are made.
 */
export class EntryTree {
  readonly #entries = new Map<string, FileState>();
  /** directories that nobody named yet */
  readonly #implied = new Set<string>();

  /** Adds an entry; answers what keeps it from standing beside the others, or null. */
  add(path: string, state: FileState): string | null {
    if (this.#implied.has(path) && state.kind !== 'dir') return 'has entries below it and is no directory';
    if (this.#entries.has(path) && !this.#implied.delete(path)) return 'appears twice';
    for (const parent of parentsOf(path)) {
      const above = this.#entries.get(parent);
      if (above && above.kind !== 'dir') return 'is below an entry that is no directory';
      if (above) continue;
      this.#entries.set(parent, DIRECTORY);
      this.#implied.add(parent);
    }
    this.#entries.set(path, state);
    return null;
  }

  /** Writes what stands at a path now, or that nothing does, without asking whether it fits beside the others. */
  put(path: string, state: FileState | null): void {
    if (state === null) this.#entries.delete(path);
    else this.#entries.set(path, state);
  }

  /** What stands at the path, or null. */
  at(path: string): FileState | null {
    return this.#entries.get(path) ?? null;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Every path, in no particular order. */
  paths(): Iterable<string> {
    return this.#entries.keys();
  }
}
