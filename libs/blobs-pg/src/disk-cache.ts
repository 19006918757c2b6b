// SPDX-License-Identifier: Apache-2.0
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TenantId } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { LRUCache } from 'lru-cache';

export interface DiskCacheOptions {
  /** a folder of this process alone; made if it isn't there, and kept between starts */
  readonly dir: string;
  /** bytes of contents to keep; one may take an eighth of it; 0 keeps none */
  readonly bytesMax: number;
}

/** A block of a usual file system: what even an empty file takes. */
const FILE_BYTES = 4096;

/**
 * Contents on a disk that may lose them at any time: nothing here is durable, and nothing that is read is trusted
 * before its hash was checked. Files are `<tenant>/<first two digits>/<hash>`; those not used for the longest go first.
 */
export class DiskCache {
  readonly #dir: string;
  /** path below the folder → bytes it takes */
  readonly #index: LRUCache<string, number>;
  #written = 0;

  private constructor(options: DiskCacheOptions) {
    this.#dir = options.dir;
    this.#index = new LRUCache<string, number>({
      // The library takes 0 for no bound. No file is as small as one byte, so this bound keeps none.
      maxSize: Math.max(options.bytesMax, 1),
      maxEntrySize: Math.max(Math.ceil(options.bytesMax / 8), 1),
      sizeCalculation: (bytes) => bytes,
      dispose: (_, path, reason) => {
        if (reason === 'evict') void this.#remove(path);
      },
    });
  }

  /** Opens the folder and takes stock of what is in it, the last used first to stay. */
  static async open(options: DiskCacheOptions): Promise<DiskCache> {
    const cache = new DiskCache(options);
    await mkdir(options.dir, { recursive: true });
    const paths = (await readdir(options.dir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(options.dir.length + 1));
    const files = await Promise.all(paths.map(async (path) => ({ path, ...(await stat(join(options.dir, path))) })));
    for (const file of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      // A file that a killed process was writing has another name than a hash. The index takes no file above its bound,
      // which may have been higher.
      const kept =
        /\/[0-9a-f]{64}$/.test(file.path) && cache.#index.set(file.path, file.size + FILE_BYTES).has(file.path);
      if (!kept) await cache.#remove(file.path);
    }
    return cache;
  }

  /** The bytes, checked against their hash, or null where they aren't here or aren't right. */
  async read(tenantId: TenantId, sha256: string): Promise<Uint8Array | null> {
    const path = pathOf(tenantId, sha256);
    if (this.#index.get(path) === undefined) return null;
    const bytes = await readFile(join(this.#dir, path)).catch(() => null);
    if (bytes && sha256Hex(bytes) === sha256) return bytes;
    this.#index.delete(path);
    await this.#remove(path);
    return null;
  }

  /** Keeps the bytes if the disk takes them. Never throws: a full disk makes a cache useless, not wrong. */
  async write(tenantId: TenantId, sha256: string, bytes: Uint8Array): Promise<void> {
    const path = pathOf(tenantId, sha256);
    if (this.#index.has(path) || bytes.length + FILE_BYTES > this.#index.maxEntrySize) return;
    const target = join(this.#dir, path);
    const partial = `${target}.${process.pid}-${this.#written++}`;
    try {
      await mkdir(dirname(target), { recursive: true });
      await writeFile(partial, bytes);
      await rename(partial, target);
      this.#index.set(path, bytes.length + FILE_BYTES);
    } catch {
      await this.#remove(partial.slice(this.#dir.length + 1));
    }
  }

  async #remove(path: string): Promise<void> {
    // Gone or not, it isn't in the index; what stays is found at the next start.
    await rm(join(this.#dir, path), { force: true }).catch(() => undefined);
  }
}

function pathOf(tenantId: TenantId, sha256: string): string {
  return join(tenantId, sha256.slice(0, 2), sha256);
}
