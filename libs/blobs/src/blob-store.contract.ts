// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, createHash } from 'node:crypto';
import { formatId, type TenantId } from '@writ/contract';
import type { BlobStore } from './blob-store.ts';

export interface BlobStoreUnderTest {
  readonly store: BlobStore;
  /** changes a stored byte behind the store's back; absent if the test cannot reach it */
  readonly tamper?: (tenantId: TenantId, sha256: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const MIB = 1024 * 1024;
/** For tests that move tens of MiB, on a machine that may be busy. */
const LONG_MS = 60_000;
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const text = (content: string): Uint8Array => new TextEncoder().encode(content);

/** Bytes that hardly repeat and are the same in every run: AES in counter mode, by `seed`. */
function noise(seed: number, length: number): Uint8Array {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 'a key'), Buffer.alloc(16, String(seed)));
  return new Uint8Array(cipher.update(new Uint8Array(length)));
}

async function collect(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all = [];
  for await (const part of parts) all.push(part);
  return all;
}

async function* cut(bytes: Uint8Array, length: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const tenantOf = (n: number): TenantId => formatId('tenant', new Uint8Array(16).fill(n));
const ALICE = tenantOf(1);
const BOB = tenantOf(2);

/** The requirements on every blob store; runs on the fake and on each adapter. */
export function blobStoreContract(name: string, make: () => Promise<BlobStoreUnderTest>): void {
  describe(`${name} as a blob store`, () => {
    let subject: BlobStoreUnderTest;
    let store: BlobStore;
    beforeAll(async () => {
      subject = await make();
      store = subject.store;
    });
    afterAll(() => subject.close());

    it('returns bytes by their hash', async () => {
      const bytes = text('one');
      expect(await store.put(ALICE, bytes)).toEqual({ sha256: hashOf(bytes), size: 3 });
      expect(Buffer.from(await store.get(ALICE, hashOf(bytes)))).toEqual(Buffer.from(bytes));
    });

    it('accepts the same bytes twice, also within one call and from concurrent calls', async () => {
      const bytes = noise(7, 30_000);
      const refs = await Promise.all([
        store.putMany(ALICE, [bytes, bytes]),
        store.putMany(ALICE, [bytes]),
        store.put(ALICE, bytes),
      ]);
      expect(new Set(refs.flat().map((ref) => ref.sha256))).toEqual(new Set([hashOf(bytes)]));
      expect(hashOf(await store.get(ALICE, hashOf(bytes)))).toBe(hashOf(bytes));
    });

    it('accepts empty contents', async () => {
      const ref = await store.put(ALICE, new Uint8Array());
      expect(ref).toEqual({ sha256: hashOf(new Uint8Array()), size: 0 });
      expect(await store.get(ALICE, ref.sha256)).toHaveLength(0);
      expect((await collect(store.getStream(ALICE, ref.sha256))).flatMap((part) => [...part])).toEqual([]);
      expect(await store.putMany(ALICE, [])).toEqual([]);
      expect((await store.getMany(ALICE, [])).size).toBe(0);
    });

    it('keeps 50 concurrent puts apart', async () => {
      const contents = Array.from({ length: 50 }, (_, n) => noise(100 + n, 1 + n * 997));
      const refs = await Promise.all(contents.map((bytes) => store.put(ALICE, bytes)));
      const read = await Promise.all(refs.map((ref) => store.get(ALICE, ref.sha256)));
      expect(read.map(hashOf)).toEqual(contents.map(hashOf));
    });

    it('does not deadlock where many put the same blobs in different orders', async () => {
      const contents = Array.from({ length: 40 }, (_, n) => noise(900 + n, 500));
      const orders = Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? contents : contents.toReversed()));
      await Promise.all(orders.map((blobs) => store.putMany(BOB, blobs)));
      expect((await store.has(BOB, contents.map(hashOf))).size).toBe(40);
    });

    it('reads many at once, each under its hash', async () => {
      const contents = Array.from({ length: 200 }, (_, n) => noise(5_000 + n, n * 50));
      const refs = await store.putMany(ALICE, contents);
      const read = await store.getMany(
        ALICE,
        refs.map((ref) => ref.sha256),
      );
      expect([...read].every(([sha256, bytes]) => hashOf(bytes) === sha256)).toBe(true);
      expect(read.size).toBe(200);
    });

    it(
      'keeps 20 MiB, whole and in parts of at most 1 MiB',
      async () => {
        const bytes = noise(20, 20 * MIB + 1);
        const ref = await store.put(ALICE, bytes);
        expect(hashOf(await store.get(ALICE, ref.sha256))).toBe(ref.sha256);
        const hash = createHash('sha256');
        let longest = 0;
        for await (const part of store.getStream(ALICE, ref.sha256)) {
          longest = Math.max(longest, part.length);
          hash.update(part);
        }
        expect(longest).toBeLessThanOrEqual(MIB);
        expect(hash.digest('hex')).toBe(ref.sha256);
      },
      LONG_MS,
    );

    it.each([
      ['a short stream', 5_000],
      ['a long stream', 9 * MIB + 5],
    ])(
      'stores %s as `put` stores the whole',
      async (_, length) => {
        const bytes = noise(length, length);
        const refs = [await store.putStream(BOB, cut(bytes, 100_003)), await store.putStream(BOB, cut(bytes, 3 * MIB))];
        expect(refs).toEqual([
          { sha256: hashOf(bytes), size: length },
          { sha256: hashOf(bytes), size: length },
        ]);
        expect(hashOf(await store.get(BOB, hashOf(bytes)))).toBe(hashOf(bytes));
      },
      LONG_MS,
    );

    it('stores no blob for a stream that breaks off', async () => {
      const bytes = noise(77, 3 * MIB);
      async function* broken(): AsyncIterable<Uint8Array> {
        yield bytes;
        throw new Error('the client went away');
      }
      await expect(store.putStream(BOB, broken())).rejects.toThrow('the client went away');
      expect(await store.has(BOB, [hashOf(bytes)])).toEqual(new Set());
    });

    it('hides the blobs of other tenants, and answers alike for missing and foreign ones', async () => {
      const ref = await store.put(ALICE, text('of alice alone'));
      const never = hashOf(text('never put'));
      expect(await store.has(BOB, [ref.sha256, never])).toEqual(new Set());
      for (const sha256 of [ref.sha256, never]) {
        await expect(store.get(BOB, sha256)).rejects.toMatchObject({ code: 'blob.missing' });
        await expect(store.getMany(BOB, [sha256])).rejects.toMatchObject({ code: 'blob.missing' });
        await expect(collect(store.getStream(BOB, sha256))).rejects.toMatchObject({ code: 'blob.missing' });
      }
      expect(await store.put(BOB, text('of alice alone'))).toEqual(ref);
      expect(await store.has(BOB, [ref.sha256])).toEqual(new Set([ref.sha256]));
      expect(await store.sizes(BOB, [ref.sha256, never])).toEqual(new Map([[ref.sha256, ref.size]]));
    });

    it('shares no memory with its callers', async () => {
      const bytes = text('unchanged');
      const { sha256 } = await store.put(ALICE, bytes);
      bytes.fill(0);
      (await store.get(ALICE, sha256)).fill(0);
      expect(Buffer.from(await store.get(ALICE, sha256)).toString()).toBe('unchanged');
    });

    it.each([
      ['a small blob', 100],
      ['a large blob', 2 * MIB],
    ])(
      'detects %s that was tampered with',
      async (_, length) => {
        const { sha256 } = await store.put(BOB, noise(31, length));
        if (!subject.tamper) return;
        await subject.tamper(BOB, sha256);
        await expect(store.get(BOB, sha256)).rejects.toMatchObject({ code: 'blob.corrupt' });
        await expect(store.getMany(BOB, [sha256])).rejects.toMatchObject({ code: 'blob.corrupt' });
        await expect(collect(store.getStream(BOB, sha256))).rejects.toMatchObject({ code: 'blob.corrupt' });
      },
      LONG_MS,
    );
  });
}
