// SPDX-License-Identifier: Apache-2.0
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryBlobs, type BlobRows } from '@writ/blobs';
import { blobStoreContract } from '@writ/blobs/contract';
import { formatId } from '@writ/contract';
import { diskCachedBlobs } from './disk-cached-blobs.ts';

const ALICE = formatId('tenant', new Uint8Array(16).fill(1));
const BOB = formatId('tenant', new Uint8Array(16).fill(2));
const MIB = 1024 * 1024;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'blobs-'));
});
afterEach(() => rm(dir, { recursive: true }));

const fileOf = (sha256: string): string => join(dir, ALICE, sha256.slice(0, 2), sha256);

blobStoreContract('a disk cache', async () => {
  const own = await mkdtemp(join(tmpdir(), 'blobs-'));
  return {
    store: await diskCachedBlobs(memoryBlobs(), { dir: own, bytesMax: 8 * MIB }),
    close: () => rm(own, { recursive: true }),
  };
});

describe('a disk cache', () => {
  it('answers from the disk, also after a restart, for the tenant that put the blob and for no other', async () => {
    const rows: BlobRows = new Map();
    const { sha256 } = await (
      await diskCachedBlobs(memoryBlobs(rows), { dir, bytesMax: MIB })
    ).put(ALICE, Buffer.from('kept'));
    rows.clear();
    const again = await diskCachedBlobs(memoryBlobs(rows), { dir, bytesMax: MIB });
    expect(Buffer.from(await again.get(ALICE, sha256)).toString()).toBe('kept');
    await expect(again.get(BOB, sha256)).rejects.toMatchObject({ code: 'blob.missing' });
  });

  it('fetches blobs again that the disk changed or lost', async () => {
    const store = await diskCachedBlobs(memoryBlobs(), { dir, bytesMax: MIB });
    const { sha256 } = await store.put(ALICE, Buffer.from('right'));
    await writeFile(fileOf(sha256), 'wrong');
    expect(Buffer.from(await store.get(ALICE, sha256)).toString()).toBe('right');
    await rm(fileOf(sha256));
    expect(Buffer.from((await store.getMany(ALICE, [sha256])).get(sha256) ?? []).toString()).toBe('right');
  });

  it('stays below its size limit', async () => {
    const store = await diskCachedBlobs(memoryBlobs(), { dir, bytesMax: MIB });
    for (let n = 0; n < 100; n++) await store.put(ALICE, Buffer.alloc(40_000, n));
    const sizeOf = async (): Promise<number> => {
      const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
      const sizes = await Promise.all(
        files.map((entry) =>
          stat(join(entry.parentPath, entry.name)).then(
            (file) => file.size,
            () => 0,
          ),
        ),
      );
      return sizes.reduce((sum, size) => sum + size, 0);
    };
    expect(await sizeOf()).toBeLessThanOrEqual(MIB);
    expect(await sizeOf()).toBeGreaterThan(MIB / 2);
  });

  it('serves blobs even if the disk accepts no writes', async () => {
    const store = await diskCachedBlobs(memoryBlobs(), { dir, bytesMax: MIB });
    // A file is in the way of the tenant's folder.
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, ALICE), '');
    const { sha256 } = await store.put(ALICE, Buffer.from('served'));
    expect(Buffer.from(await store.get(ALICE, sha256)).toString()).toBe('served');
  });

  it('deletes the partial files of a killed process', async () => {
    await mkdir(join(dir, ALICE, 'aa'), { recursive: true });
    await writeFile(join(dir, ALICE, 'aa', `${'aa'.repeat(32)}.123-0`), 'half');
    await diskCachedBlobs(memoryBlobs(), { dir, bytesMax: MIB });
    expect(await readdir(join(dir, ALICE, 'aa'))).toEqual([]);
  });

  it('with a limit of 0 serves blobs, caches none and deletes those of an earlier start', async () => {
    const rows: BlobRows = new Map();
    const { sha256 } = await (
      await diskCachedBlobs(memoryBlobs(rows), { dir, bytesMax: MIB })
    ).put(ALICE, Buffer.from('kept'));
    const store = await diskCachedBlobs(memoryBlobs(rows), { dir, bytesMax: 0 });
    expect(Buffer.from(await store.get(ALICE, sha256)).toString()).toBe('kept');
    await expect(stat(fileOf(sha256))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
