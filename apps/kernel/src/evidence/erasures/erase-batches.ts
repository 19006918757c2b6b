// SPDX-License-Identifier: Apache-2.0
import type { Changed, Changes } from '../changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { newId } from '@writ/nest-kit';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import type { ErasureRow } from '../../foundation/rows/erasure-row.ts';
import { callIn, type Rows } from '../../foundation/tenancy/index.ts';
import { erasureRecord } from './erasure-record.ts';

/**
 * Calls that one transaction examines, with one record. That takes some ten milliseconds, and no caller waits for any
 * of these calls.
 */
export const BATCH_ROWS = 200;
/** Erasures that one pass continues. */
const ERASURES_MAX = 50;

/**
 * Erases the content of calls, batch by batch. INVARIANT (all or nothing): the batch, the progress of its erasure and
 * its record are one transaction. A process that dies in between leaves a running erasure, and the next pass continues
 * it.
 */
export class EraseBatches {
  readonly #workers: CrossTenantPool;
  readonly #changes: Changes;

  constructor(workers: CrossTenantPool, changes: Changes) {
    this.#workers = workers;
    this.#changes = changes;
  }

  /**
   * Continues the running erasures of all tenants to their end. Replicas may do so at once: each batch is made by one
   * of them. Resolves with the batches that were made here.
   */
  async run(): Promise<number> {
    const running = await kernelSql.runningErasures(this.#workers.pool, { rows: ERASURES_MAX });
    const errors: unknown[] = [];
    let batches = 0;
    for (const { tenant_id, erasure_id } of running) {
      // An erasure that fails must not keep the others from their end.
      try {
        while (await this.#next(tenant_id, erasure_id)) batches += 1;
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0)
      throw new AggregateError(
        errors,
        `${String(errors.length)} of ${String(running.length)} erasures could not continue`,
      );
    return batches;
  }

  /** False where the erasure is done, or another replica works on it. */
  async #next(tenantId: string, erasureId: string): Promise<boolean> {
    return await this.#changes.upkeep(tenantId, async (rows) => {
      const { value, records } = await eraseNext(rows, tenantId, erasureId);
      return { value: value?.state === 'running', records };
    });
  }
}

/**
 * Erases the next batch within a transaction, and returns its record. Null where the erasure is done, or another
 * transaction works on it.
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
