// SPDX-License-Identifier: Apache-2.0

/** Maximum number of hashes in one pass: some 150 MiB. A tenant with more is not collected, and that is reported. */
const HASHES_MAX = 2_000_000;

/** The mark set: the referenced contents, by hex SHA-256, during a pass over a tenant. */
export class MarkSet {
  readonly #hashes = new Set<string>();
  /**
   * Directories whose entries were read. They are stored separately, since a file may have the same bytes as a
   * directory.
   */
  readonly #directories = new Set<string>();

  /** @throws Error where there are more hashes than one pass may hold */
  add(sha256: string): void {
    this.#hashes.add(packHash(sha256));
    if (this.#hashes.size > HASHES_MAX)
      throw new Error(`a tenant names more than ${String(HASHES_MAX)} contents, so it is not collected`);
  }

  /** Adds a directory, and answers whether its entries must be read. */
  addDirectory(sha256: string): boolean {
    this.add(sha256);
    const key = packHash(sha256);
    if (this.#directories.has(key)) return false;
    this.#directories.add(key);
    return true;
  }

  has(sha256: string): boolean {
    return this.#hashes.has(packHash(sha256));
  }
}

/** A packed hash has half the length of the hexadecimal text. */
const packHash = (sha256: string): string => Buffer.from(sha256, 'hex').toString('latin1');
