// SPDX-License-Identifier: Apache-2.0
import { sqlFunction, sqlTypes } from '@writ/database';

export interface SizeRow {
  readonly sha256: Buffer;
  readonly size: number;
}

/** A content: its bytes, or the upload that its chunks belong to. */
export interface BlobRow extends SizeRow {
  readonly bytes: Buffer | null;
  readonly upload: Buffer | null;
}

export interface ChunkRow {
  readonly bytes: Buffer;
}

export interface TakenChunks {
  readonly chunks: number;
}

/** The functions of the schema `blobs` that this library calls. A spec compares them with the database. */
export const blobsSql = {
  get: sqlFunction<BlobRow>()('blobs.get', { tenant: sqlTypes.text, hashes: sqlTypes.bytea }, { returns: 'rows' }),
  getChunk: sqlFunction<ChunkRow>()(
    'blobs.get_chunk',
    { tenant: sqlTypes.text, of_upload: sqlTypes.bytea, at: sqlTypes.integer },
    { returns: 'row' },
  ),
  put: sqlFunction()(
    'blobs.put',
    { tenant: sqlTypes.text, hashes: sqlTypes.bytea, sizes: sqlTypes.integerArray, body: sqlTypes.bytea },
    { returns: 'nothing' },
  ),
  putChunk: sqlFunction()(
    'blobs.put_chunk',
    { tenant: sqlTypes.text, of_upload: sqlTypes.bytea, at: sqlTypes.integer, body: sqlTypes.bytea },
    { returns: 'nothing' },
  ),
  putChunked: sqlFunction()(
    'blobs.put_chunked',
    { tenant: sqlTypes.text, hash: sqlTypes.bytea, length: sqlTypes.bigint, of_upload: sqlTypes.bytea },
    { returns: 'nothing' },
  ),
  sizes: sqlFunction<SizeRow>()('blobs.sizes', { tenant: sqlTypes.text, hashes: sqlTypes.bytea }, { returns: 'rows' }),
  take: sqlFunction<SizeRow>()(
    'blobs.take',
    { tenant: sqlTypes.text, since: sqlTypes.timestamptz, hashes: sqlTypes.bytea },
    { returns: 'rows' },
  ),
  takeChunks: sqlFunction<TakenChunks>()(
    'blobs.take_chunks',
    { tenant: sqlTypes.text, since: sqlTypes.timestamptz, most: sqlTypes.integer },
    { returns: 'row' },
  ),
  untouched: sqlFunction<SizeRow>()(
    'blobs.untouched',
    { tenant: sqlTypes.text, since: sqlTypes.timestamptz, past: sqlTypes.bytea, most: sqlTypes.integer },
    { returns: 'rows' },
  ),
} as const;
