// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { outcomeFault } from '../outcomes/index.ts';
import type { Previews } from '../held/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import { eachInTurn } from './each-in-turn.ts';

/** Rows of a kind that one sweep reads. */
const ROWS_MAX = 200;

/**
 * Finds previews whose executor is lost. The worker's role finds them, the tenant's role ends them, with a record; safe
 * with any number of replicas.
 */
export class PreviewSweeper {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #previews: Previews;

  constructor(workers: CrossTenantPool, tenants: TenantPool, previews: Previews) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#previews = previews;
  }

  /** Resolves with how many wait again, and how many ended. */
  async sweep(): Promise<{ again: number; ended: number }> {
    const rows = await kernelSql.requeuePreviews(this.#workers.pool, {
      leases_max: LIMITS.attempts.max,
      rows: ROWS_MAX,
    });
    return { again: rows.reduce((sum, { count }) => sum + count, 0), ended: await this.#endLost() };
  }

  async #endLost(): Promise<number> {
    const rows = await kernelSql.lostPreviews(this.#workers.pool, { leases_max: LIMITS.attempts.max, rows: ROWS_MAX });
    const ended = await eachInTurn(rows, 'lost previews could not be ended', ({ tenant_id, operation_id }) =>
      this.#endOne(tenant_id, operation_id),
    );
    return ended.filter(Boolean).length;
  }

  async #endOne(tenantId: string, operationId: string): Promise<boolean> {
    const seen = await kernelSql.previewFacts(this.#tenants.pool, { tenant: tenantId, operation: operationId });
    if (seen === null) return false;
    // The usage of lost executors is unknown, so it counts as all of it: killing executors is no way around a budget.
    const verdict = await this.#previews.end(
      seen,
      {
        used: seen.operation.reserved,
        countedBy: null,
        effectDigest: null,
        resultHash: null,
        askedFor: [],
        staged: null,
        approval: null,
        fault: outcomeFault('attempts.exhausted'),
      },
      null,
    );
    return verdict === 'done';
  }
}
