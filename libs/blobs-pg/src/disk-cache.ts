// SPDX-License-Identifier: Apache-2.0
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TenantId } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { LRUCache } from 'lru-cache';

export interface DiskCacheOptions {
  /** a folder for this process only; created if it is missing, and kept between starts */
  readonly dir: string;
  /** bytes of contents to keep; one may use an eighth of it; 0 keeps none */
  readonly bytesMax: number;
}

/** A block of a usual file system, which even an empty file uses. */
const FILE_BYTES = 4096;

/**
 * Contents on a disk that may lose them at any time. Nothing in it is durable, and every read checks the hash. Files
 * are `<tenant>/<first two digits>/<hash>`; the least recently used are evicted first.
 */
export class DiskCache {
  readonly #dir: string;
  /** path below the folder → bytes on disk */
  readonly #index: LRUCache<string, number>;
  #written = 0;

  private constructor(options: DiskCacheOptions) {
    this.#dir = options.dir;
    this.#index = new LRUCache<string, number>({
      // For the library 0 means no limit. No file is as small as one byte, so this limit caches none.
      maxSize: Math.max(options.bytesMax, 1),
      maxEntrySize: Math.max(Math.ceil(options.bytesMax / 8), 1),
      sizeCalculation: (bytes) => bytes,
      dispose: (_, path, reason) => {
        if (reason === 'evict') void this.#remove(path);
      },
    });
  }

  /** Opens the folder and indexes its files by their time of change, latest last. */
  static async open(options: DiskCacheOptions): Promise<DiskCache> {
    const cache = new DiskCache(options);
    await mkdir(options.dir, { recursive: true });
    const paths = (await readdir(options.dir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(options.dir.length + 1));
    const files = await Promise.all(paths.map(async (path) => ({ path, ...(await stat(join(options.dir, path))) })));
    for (const file of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      // A partial file of a killed process has no hash as its name. The index accepts no file above its limit, which
      // may have been higher before.
      const kept =
        /\/[0-9a-f]{64}$/.test(file.path) && cache.#index.set(file.path, file.size + FILE_BYTES).has(file.path);
      if (!kept) await cache.#remove(file.path);
    }
    return cache;
  }

  /** The bytes, checked against their hash, or null if they are missing or wrong. */
  async read(tenantId: TenantId, sha256: string): Promise<Uint8Array | null> {
    const path = pathOf(tenantId, sha256);
    if (this.#index.get(path) === undefined) return null;
    const bytes = await readFile(join(this.#dir, path)).catch(() => null);
    if (bytes && sha256Hex(bytes) === sha256) return bytes;
    this.#index.delete(path);
    await this.#remove(path);
    return null;
  }

  /** Caches the bytes if the disk accepts them. Never throws: a full disk makes a cache useless, not wrong. */
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
    // A file that can't be deleted isn't in the index; the next start finds it.
    await rm(join(this.#dir, path), { force: true }).catch(() => undefined);
  }
}

function pathOf(tenantId: TenantId, sha256: string): string {
  return join(tenantId, sha256.slice(0, 2), sha256);
}
