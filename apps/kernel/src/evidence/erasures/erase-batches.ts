// SPDX-License-Identifier: Apache-2.0
import type { Changed, Changes } from '../changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { newId } from '@writ/nest-kit';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import type { ErasureRow } from '../../foundation/rows/erasure-row.ts';
import { callIn, type Rows } from '../../foundation/tenancy/index.ts';
import { erasureRecord } from './erasure-record.ts';

/**
 * Calls that one transaction looks at, with one record: some ten milliseconds, during which nobody waits for any of
 * them.
 */
export const BATCH_ROWS = 200;
/** Erasures that one pass goes on with. */
const ERASURES_MAX = 50;

/**
 * Erases the content of calls, batch by batch. INVARIANT (all or nothing): what a batch takes, how far its erasure is
 * and the record of it are one transaction. Whoever dies in between leaves an erasure that runs, and the next pass goes
 * on with it.
 */
export class EraseBatches {
  readonly #workers: CrossTenantPool;
  readonly #changes: Changes;

  constructor(workers: CrossTenantPool, changes: Changes) {
    this.#workers = workers;
    this.#changes = changes;
  }

  /**
   * Goes on with what runs, of all tenants, to its end. Replicas may do so at once: each batch is one's. Resolves with
   * the batches that were made here.
   */
  async run(): Promise<number> {
    const running = await kernelSql.runningErasures(this.#workers.pool, { rows: ERASURES_MAX });
    const errors: unknown[] = [];
    let batches = 0;
    for (const { tenant_id, erasure_id } of running) {
      // One that can't go on must not keep the others from their end.
      try {
        while (await this.#next(tenant_id, erasure_id)) batches += 1;
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0)
      throw new AggregateError(
        errors,
        `${String(errors.length)} of ${String(running.length)} erasures could not go on`,
      );
    return batches;
  }

  /** False where it is done, or another replica is at it. */
  async #next(tenantId: string, erasureId: string): Promise<boolean> {
    return await this.#changes.make(tenantId, async (rows) => {
      const { value, records } = await eraseNext(rows, tenantId, erasureId);
      return { value: value?.state === 'running', records };
    });
  }
}

/**
 * Erases the next batch within a transaction, and gives the record that belongs into it. Null where the erasure is
 * done, or another transaction is at it.
 */
export async function eraseNext(rows: Rows, tenantId: string, erasureId: string): Promise<Changed<ErasureRow | null>> {
  const record_id = newId('record');
  const batch = await callIn(rows, kernelSql.eraseBatch, {
    tenant: tenantId,
    erasure: erasureId,
    record: record_id,
    rows: BATCH_ROWS,
  });
  if (batch === null) return { value: null, records: [] };
  return { value: batch.erasure, records: batch.operation_ids.length === 0 ? [] : [erasureRecord(record_id, batch)] };
}
