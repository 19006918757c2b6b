// SPDX-License-Identifier: Apache-2.0
import type { BlobRef, TenantId } from '@writ/contract';
import { BlobSweep } from '@writ/blobs';
import { runStatement, type Pool } from '@writ/database';

interface Row {
  readonly sha256: Buffer;
  readonly size: number;
}

/**
 * Sweeps the schema `blobs`. The pool's role is the kernel's; the tables themselves refuse to give what may have been
 * spoken of within two hours.
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

  async untouched(tenantId: TenantId, since: number, past: string | null, limit: number): Promise<BlobRef[]> {
    const { rows } = await runStatement<Row>(this.#pool, {
      name: 'blobs.untouched',
      text: 'SELECT sha256, size FROM blobs.untouched($1, $2, $3, $4)',
      values: [tenantId, new Date(since), Buffer.from(past ?? '', 'hex'), limit],
    });
    return rows.map(refOfRow);
  }

  async take(tenantId: TenantId, since: number, sha256s: readonly string[]): Promise<BlobRef[]> {
    const { rows } = await runStatement<Row>(this.#pool, {
      name: 'blobs.take',
      text: 'SELECT sha256, size FROM blobs.take($1, $2, $3)',
      values: [tenantId, new Date(since), Buffer.from(sha256s.join(''), 'hex')],
    });
    return rows.map(refOfRow);
  }

  async takeParts(tenantId: TenantId, since: number, limit: number): Promise<number> {
    const { rows } = await runStatement<{ chunks: number }>(this.#pool, {
      name: 'blobs.take_chunks',
      text: 'SELECT chunks FROM blobs.take_chunks($1, $2, $3)',
      values: [tenantId, new Date(since), limit],
    });
    return Number(rows[0]?.chunks ?? 0);
  }
}

const refOfRow = ({ sha256, size }: Row): BlobRef => ({ sha256: sha256.toString('hex'), size: Number(size) });
