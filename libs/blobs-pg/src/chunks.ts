// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { Fault, type TenantId } from '@writ/contract';
import type { Pool } from '@writ/database';
import { blobsSql } from './functions.ts';

export interface ChunkedBlob {
  readonly sha256: string;
  readonly size: number;
  readonly upload: Buffer;
}

/**
 * Reads the chunks of a blob in order. Throws `blob.corrupt` as soon as a chunk is missing, or at the end if the whole
 * doesn't match its hash.
 */
export async function* readChunks(pool: Pool, tenantId: TenantId, blob: ChunkedBlob): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let read = 0;
  for (let n = 0; read < blob.size; n++) {
    const bytes = (await blobsSql.getChunk(pool, { tenant: tenantId, of_upload: blob.upload, at: n }))?.bytes;
    if (!bytes) throw new Fault('blob.corrupt', `part ${n} of the content \`${blob.sha256}\` is missing`);
    hash.update(bytes);
    read += bytes.length;
    yield bytes;
  }
  if (hash.digest('hex') !== blob.sha256)
    throw new Fault('blob.corrupt', `the content of \`${blob.sha256}\` does not match its hash`);
}
