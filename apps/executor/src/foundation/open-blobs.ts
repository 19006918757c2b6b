// SPDX-License-Identifier: Apache-2.0
import { cachedBlobs, type BlobStore } from '@writ/blobs';
import { diskCachedBlobs, pgBlobs } from '@writ/blobs-pg';
import type { Pool } from '@writ/database';
import { named } from '@writ/nest-kit';
import type { ExecutorConfig } from '../config.env.ts';

/** Cache of directory nodes and small files, which most calls read repeatedly. */
const MEMORY_CACHE_BYTES = 64 * 1024 * 1024;

/**
 * The blobs of the database, behind a cache on disk and one in memory.
 * @throws EnvironmentError that names the variable of a cache directory that can't be used
 */
export async function openBlobs(
  config: Pick<ExecutorConfig, 'WRIT_CACHE_DIR' | 'WRIT_CACHE_BYTES'>,
  pool: Pool,
): Promise<BlobStore> {
  const stored = await diskCachedBlobs(pgBlobs(pool), {
    dir: config.WRIT_CACHE_DIR,
    bytesMax: config.WRIT_CACHE_BYTES,
  }).catch((error: unknown) =>
    named('WRIT_CACHE_DIR', () => {
      throw error;
    }),
  );
  return cachedBlobs(stored, { bytesMax: MEMORY_CACHE_BYTES });
}
