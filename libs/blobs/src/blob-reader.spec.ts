// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@writ/contract';
import { blobReader } from './blob-reader.ts';
import type { BlobStore } from './blob-store.ts';
import { memoryBlobs } from './memory-blobs.ts';

const ALICE = formatId('tenant', new Uint8Array(16).fill(1));

describe('a blob reader', () => {
  const store = memoryBlobs();
  const requests: (readonly string[])[] = [];
  const watched: Pick<BlobStore, 'getMany'> = {
    getMany: (tenantId, sha256s) => {
      requests.push(sha256s);
      return store.getMany(tenantId, sha256s);
    },
  };
  const read = blobReader(watched as BlobStore, ALICE);
  beforeEach(() => {
    requests.length = 0;
  });

  it('reads all blobs of a turn in one request, and later ones in another', async () => {
    const refs = await store.putMany(
      ALICE,
      ['a', 'b', 'c'].map((text) => Buffer.from(text)),
    );
    const [a = '', b = '', c = ''] = refs.map((ref) => ref.sha256);
    const both = await Promise.all([read(a), read(b), read(a)]);
    expect(both.map((bytes) => Buffer.from(bytes).toString())).toEqual(['a', 'b', 'a']);
    expect(Buffer.from(await read(c)).toString()).toBe('c');
    expect(requests).toEqual([[a, b], [c]]);
  });

  it('fails for a missing blob, and serves later reads', async () => {
    await expect(read('0'.repeat(64))).rejects.toMatchObject({ code: 'blob.missing' });
    const { sha256 } = await store.put(ALICE, Buffer.from('d'));
    expect(await read(sha256)).toHaveLength(1);
  });
});
