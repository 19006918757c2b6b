// SPDX-License-Identifier: Apache-2.0
import type { BlobRef, TenantId } from '@writ/contract';
import { BlobSweep } from '@writ/blobs';
import type { Pool } from '@writ/database';
import { blobsSql, type SizeRow } from './functions.ts';

/**
 * Sweeps the schema `blobs`. The pool's role is the kernel's. The tables themselves refuse to delete contents that were
 * put or looked up within two hours.
 */
export function pgBlobSweep(pool: Pool): BlobSweep {
  return new PgBlobSweep(pool);
}

class PgBlobSweep extends BlobSweep {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  async untouched(tenant: TenantId, since: number, past: string | null, limit: number): Promise<BlobRef[]> {
    const rows = await blobsSql.untouched(this.#pool, {
      tenant,
      since: new Date(since),
      past: Buffer.from(past ?? '', 'hex'),
      most: limit,
    });
    return rows.map(refOfRow);
  }

  async delete(tenant: TenantId, since: number, sha256s: readonly string[]): Promise<BlobRef[]> {
    const hashes = Buffer.from(sha256s.join(''), 'hex');
    return (await blobsSql.take(this.#pool, { tenant, since: new Date(since), hashes })).map(refOfRow);
  }

  async deleteParts(tenant: TenantId, since: number, limit: number): Promise<number> {
    const taken = await blobsSql.takeChunks(this.#pool, { tenant, since: new Date(since), most: limit });
    return Number(taken?.chunks ?? 0);
  }
}

const refOfRow = ({ sha256, size }: SizeRow): BlobRef => ({ sha256: sha256.toString('hex'), size: Number(size) });
