// SPDX-License-Identifier: Apache-2.0

/** Hashes that one pass holds: some 150 MiB. A tenant with more is left as it is, and that is reported. */
const HASHES_MAX = 2_000_000;

/** What is named, by hex SHA-256, while a tenant's contents are looked through. */
export class MarkSet {
  readonly #hashes = new Set<string>();
  /** Directories whose entries were gone through: apart, since a file may have the very bytes of a directory. */
  readonly #opened = new Set<string>();

  /** @throws Error where there are more than one pass holds */
  add(sha256: string): void {
    this.#hashes.add(packed(sha256));
    if (this.#hashes.size > HASHES_MAX)
      throw new Error(`a tenant names more than ${String(HASHES_MAX)} contents: nothing of it is collected`);
  }

  /** Adds a directory, and answers whether it wasn't gone through before. */
  open(sha256: string): boolean {
    this.add(sha256);
    const key = packed(sha256);
    if (this.#opened.has(key)) return false;
    this.#opened.add(key);
    return true;
  }

  has(sha256: string): boolean {
    return this.#hashes.has(packed(sha256));
  }
}

/** Half as long as the hexadecimal text. */
const packed = (sha256: string): string => Buffer.from(sha256, 'hex').toString('latin1');
