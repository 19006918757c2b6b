// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import {
  ARGUMENTS_ATTEMPT,
  openContent,
  openedParts,
  SEAL_BYTES,
  sealContent,
  sealedParts,
  sealedRef,
  type ContentKind,
  type ContentSeal,
} from './sealed-content.ts';

const SEAL: ContentSeal = { key: randomBytes(32), tenantId: 'ten_a', operationId: 'op_a', attempt: 1 };
const CLEAR = Buffer.from('what a call returned');
const CORRUPT = { code: 'blob.corrupt' };

/** The bytes in parts of this length. */
async function* cut(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield await Promise.resolve(bytes.subarray(at, at + length));
}
async function whole(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}
/** Opened whole, and in parts of every length. */
async function opened(seal: ContentSeal, kind: ContentKind, sealed: Uint8Array): Promise<Buffer> {
  const inParts = await Promise.allSettled(
    [1, 7, 16, 17, 20, 28, 1_000].map((length) => whole(openedParts(seal, kind, cut(sealed, length)))),
  );
  const [first, ...rest] = inParts.map((each) =>
    (each.status === 'fulfilled' ? each.value.toString('hex') : (each.reason as Error)).toString(),
  );
  expect(rest.every((each) => each === first)).toBe(true);
  const clear = openContent(seal, kind, sealed);
  expect(first).toBe(clear.toString('hex'));
  return clear;
}

describe('a content of a call', () => {
  it.each([0, 1, 16, 100_000])(
    'opens to the original, whole or in parts, and reveals nothing while sealed: %d bytes',
    async (length) => {
      const clear = Buffer.alloc(length, 'marker ');
      for (const sealed of [
        sealContent(SEAL, 'result', clear),
        await whole(sealedParts(SEAL, 'result', cut(clear, 999))),
      ]) {
        expect(sealed).toHaveLength(length + SEAL_BYTES);
        expect(sealed.subarray(0, 8).toString()).toBe('writ:bc1');
        expect(sealed.includes('marker')).toBe(false);
        expect((await opened(SEAL, 'result', sealed)).equals(clear)).toBe(true);
      }
    },
  );

  it('has different bytes each time it is sealed', () => {
    expect(sealContent(SEAL, 'args', CLEAR).equals(sealContent(SEAL, 'args', CLEAR))).toBe(false);
  });

  it('opens with no other key, tenant, call, attempt or kind', async () => {
    const sealed = sealContent(SEAL, 'stdout', CLEAR);
    const others: [ContentSeal, ContentKind][] = [
      [{ ...SEAL, key: randomBytes(32) }, 'stdout'],
      [{ ...SEAL, tenantId: 'ten_b' }, 'stdout'],
      [{ ...SEAL, operationId: 'op_b' }, 'stdout'],
      [{ ...SEAL, attempt: 2 }, 'stdout'],
      [{ ...SEAL, attempt: ARGUMENTS_ATTEMPT }, 'stdout'],
      [SEAL, 'stderr'],
      [SEAL, 'result'],
    ];
    for (const [seal, kind] of others) {
      expect(() => openContent(seal, kind, sealed)).toThrow(expect.objectContaining(CORRUPT));
      await expect(whole(openedParts(seal, kind, cut(sealed, 5)))).rejects.toMatchObject(CORRUPT);
    }
  });

  it('does not open with a byte changed, removed or added, nor in clear', async () => {
    const sealed = sealContent(SEAL, 'result', CLEAR);
    const bent = Array.from(sealed, (byte, at) =>
      Buffer.concat([sealed.subarray(0, at), Buffer.from([byte ^ 1]), sealed.subarray(at + 1)]),
    );
    const cutOff = Array.from(sealed, (_, at) => sealed.subarray(0, at));
    for (const other of [...bent, ...cutOff, Buffer.concat([sealed, Buffer.alloc(1)]), CLEAR]) {
      expect(() => openContent(SEAL, 'result', other)).toThrow(expect.objectContaining(CORRUPT));
      await expect(whole(openedParts(SEAL, 'result', cut(other, 11)))).rejects.toMatchObject(CORRUPT);
    }
  });

  it('is never returned whole in parts if it was forged', async () => {
    const sealed = sealContent(SEAL, 'stdout', Buffer.alloc(1_000, 'x'));
    const told: Uint8Array[] = [];
    const all = (async () => {
      for await (const part of openedParts(SEAL, 'stderr', cut(sealed, 100))) told.push(part);
    })();
    await expect(all).rejects.toMatchObject(CORRUPT);
    expect(Buffer.concat(told).length).toBeLessThan(1_000);
  });

  it('has a reference with the hash of the stored bytes and the size of the content', () => {
    expect(sealedRef({ sha256: 'a'.repeat(64), size: CLEAR.length + SEAL_BYTES })).toEqual({
      sha256: 'a'.repeat(64),
      size: CLEAR.length,
    });
  });
});
