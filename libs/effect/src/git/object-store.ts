// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (verified, or not there): an object is returned only where its bytes were read and hash to its name. Anyone
// who can write the workspace can create a file of the right name, or the index of a pack, without the object.
import { EffortExceeded, Effort } from './effort.ts';
import { objectName, readLooseObject, type GitObject } from './git-object.ts';
import { PackIndex } from './pack-index.ts';
import { Pack } from './pack.ts';

/** The collected files of a repository that hold objects. Bytes are attacker-controlled. */
export interface ObjectFiles {
  /** loose objects by their names; null for one whose bytes were not collected */
  readonly loose: ReadonlyMap<string, Uint8Array | null>;
  readonly packs: readonly { readonly index: Uint8Array; readonly pack: Uint8Array | null }[];
  /** false where there were more files than are collected, so that an object may exist without being found */
  readonly isComplete: boolean;
}

/** Objects of a repository. */
export class ObjectStore {
  readonly #files: ObjectFiles;
  readonly #packs: readonly Pack[];
  readonly #effort: Effort;

  constructor(files: ObjectFiles, effort: Effort) {
    this.#files = files;
    this.#effort = effort;
    this.#packs = files.packs.flatMap(({ index, pack }) => {
      const read = PackIndex.read(index, effort);
      return read === null ? [] : [new Pack(read, pack, effort)];
    });
  }

  /**
   * Answers whether a file or pack exists for the object; its content is not verified.
   * @throws BeyondEffort
   */
  lists(name: string): boolean {
    if (this.#files.loose.has(name) || this.#packs.some((pack) => pack.lists(name))) return true;
    if (!this.#files.isComplete) throw new EffortExceeded();
    return false;
  }

  /**
   * The object of that name, verified; null where there is none.
   * @throws BeyondEffort
   */
  read(name: string): GitObject | null {
    const loose = this.#files.loose.get(name);
    const found =
      loose === undefined || loose === null ? null : this.#verified(name, readLooseObject(loose, this.#effort));
    if (found !== null) return found;
    for (const pack of this.#packs) {
      const packed = this.#verified(name, pack.read(name));
      if (packed !== null) return packed;
    }
    if (loose === null || !this.#files.isComplete) throw new EffortExceeded();
    return null;
  }

  #verified(name: string, object: GitObject | null): GitObject | null {
    if (object === null) return null;
    this.#effort.spendBytes(object.bytes.length);
    return objectName(object.type, object.bytes) === name ? object : null;
  }
}
