// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@writ/contract';
import { blobStoreContract } from './blob-store.contract.ts';
import { cachedBlobs } from './cached-blobs.ts';
import { memoryBlobs, type BlobRows } from './memory-blobs.ts';

blobStoreContract('a cache', async () => ({
  store: cachedBlobs(memoryBlobs(), { bytesMax: 4 * 1024 * 1024 }),
  close: async () => undefined,
}));

const ALICE = formatId('tenant', new Uint8Array(16).fill(1));
const BOB = formatId('tenant', new Uint8Array(16).fill(2));

describe('a cache', () => {
  it('answers from memory, for the tenant that put the blob and for no other', async () => {
    const rows: BlobRows = new Map();
    const store = cachedBlobs(memoryBlobs(rows), { bytesMax: 100_000 });
    const { sha256 } = await store.put(ALICE, Buffer.from('kept'));
    rows.clear();
    expect(Buffer.from(await store.get(ALICE, sha256)).toString()).toBe('kept');
    await expect(store.get(BOB, sha256)).rejects.toMatchObject({ code: 'blob.missing' });
  });

  it('stays below its size limit', async () => {
    const rows: BlobRows = new Map();
    const store = cachedBlobs(memoryBlobs(rows), { bytesMax: 10_000 });
    const refs = [];
    for (let n = 0; n < 20; n++) refs.push(await store.put(ALICE, Buffer.alloc(744, n)));
    rows.clear();
    const kept = await Promise.allSettled(refs.map((ref) => store.get(ALICE, ref.sha256)));
    // 744 bytes and their entry are 1,000: ten fit, the last ten.
    expect(kept.map((each) => each.status === 'fulfilled')).toEqual(refs.map((_, n) => n >= 10));
  });

  it('does not cache a blob that would evict most others', async () => {
    const rows: BlobRows = new Map();
    const store = cachedBlobs(memoryBlobs(rows), { bytesMax: 10_000 });
    const { sha256 } = await store.put(ALICE, Buffer.alloc(2_000));
    rows.clear();
    await expect(store.get(ALICE, sha256)).rejects.toMatchObject({ code: 'blob.missing' });
  });
});
