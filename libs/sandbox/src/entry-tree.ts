// SPDX-License-Identifier: Apache-2.0
import type { FileState } from '@writ/contract';
import { parentsOf } from './path.ts';

const DIRECTORY: FileState = { kind: 'dir', mode: null, sha256: null, size: 0 };

/**
 * Entries by path that can exist together in one directory: each path once, and nothing below an entry that isn't a
 * directory. Parent directories are implied.
 */
export class EntryTree {
  readonly #entries = new Map<string, FileState>();
  /** directories that are implied, and not named yet */
  readonly #implied = new Set<string>();

  /** Adds an entry; returns the conflict with other entries, or null. */
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

  /** Sets or removes the entry at a path, without a check against the other entries. */
  put(path: string, state: FileState | null): void {
    if (state === null) this.#entries.delete(path);
    else this.#entries.set(path, state);
  }

  /** The entry at the path, or null. */
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
