// SPDX-License-Identifier: Apache-2.0
import type { BlobRef } from '@writ/contract';

/** The parameters of one `blobs.put`: concatenated hashes and contents, in the order of the hashes. */
export interface Batch {
  readonly hashes: Uint8Array;
  readonly sizes: readonly number[];
  readonly body: Uint8Array;
}

interface Item {
  readonly ref: BlobRef;
  readonly bytes: Uint8Array;
}

/**
 * Bytes and rows of one statement: large enough that round trips don't matter, small enough for the memory of replicas.
 */
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_ROWS = 2_000;

/** Groups the blobs into as few statements as the limits allow: each hash once, all sorted by hash. */
export function* batchesOf(items: readonly Item[]): Generator<Batch> {
  const sorted = [...new Map(items.map((item) => [item.ref.sha256, item])).values()].sort((a, b) =>
    a.ref.sha256 < b.ref.sha256 ? -1 : 1,
  );
  let batch: Item[] = [];
  let bytes = 0;
  for (const item of sorted) {
    if (batch.length === BATCH_ROWS || bytes + item.bytes.length > BATCH_BYTES) {
      yield batchOf(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += item.bytes.length;
  }
  if (batch.length > 0) yield batchOf(batch);
}

function batchOf(items: readonly Item[]): Batch {
  return {
    hashes: Buffer.from(items.map((item) => item.ref.sha256).join(''), 'hex'),
    sizes: items.map((item) => item.ref.size),
    body: Buffer.concat(items.map((item) => item.bytes)),
  };
}
