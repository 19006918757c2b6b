// SPDX-License-Identifier: Apache-2.0
import type { BundleContent } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import type { Pack } from 'tar-stream';

/** Most bytes of receipts in one file, which a verifier holds in memory. */
export const PART_BYTES = 4 * 1024 * 1024;
/** Fixed values, so that the same bundle is the same archive, byte for byte. */
const PLAIN = { mtime: new Date(0), uid: 0, gid: 0, mode: 0o644, type: 'file' } as const;

/** Packs the files of a bundle, and lists them for its manifest. */
export class BundleFiles {
  readonly list: BundleContent['files'] = [];
  readonly #pack: Pack;
  #part: string[] = [];
  #partBytes = 0;
  #parts = 0;

  constructor(pack: Pack) {
    this.#pack = pack;
  }

  /** Adds a file that the manifest lists. Resolves when there is room for the next. */
  async add(path: string, content: Uint8Array | string): Promise<void> {
    const bytes = Buffer.from(content);
    this.list.push({ path, bytes: bytes.length, sha256: sha256Hex(bytes) });
    await this.write(path, bytes);
  }

  /** Adds a line to the receipts. */
  async addReceipt(line: string): Promise<void> {
    if (this.#partBytes + line.length > PART_BYTES) await this.flush();
    this.#part.push(line);
    this.#partBytes += line.length;
  }

  /** Writes the gathered receipts to a file. */
  async flush(): Promise<void> {
    if (this.#part.length === 0) return;
    const text = this.#part.join('');
    [this.#part, this.#partBytes] = [[], 0];
    await this.add(`receipts/${String(this.#parts++).padStart(6, '0')}.ndjson`, text);
  }

  /**
   * Writes a file that the manifest does not list: the manifest itself. Rejects where the archive's reader has
   * disconnected.
   */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#pack.entry({ ...PLAIN, name, size: bytes.length }, Buffer.from(bytes), (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }
}
