// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type Lane } from '@writ/contract';
import { runStatement } from '@writ/database';
import { endingFault, type SeenOperation } from '../endings/index.ts';
import type { Previews } from '../held/index.ts';
import { callKernel, type TenantPool, type CrossTenantPool } from '../store/index.ts';
import { eachInTurn } from './each-in-turn.ts';

/** Rows that one sweep takes of a kind. */
const ROWS_MAX = 200;

/**
 * Finds previews that nobody speaks for any more. The worker's role finds, the tenant's role ends, with a record; safe
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
    const { rows } = await runStatement<{ lane: Lane; count: number }>(this.#workers.pool, {
      name: 'kernel.requeue_previews',
      text: 'SELECT * FROM kernel.requeue_previews($1, $2)',
      values: [LIMITS.attempts.max, ROWS_MAX],
    });
    return { again: rows.reduce((sum, { count }) => sum + count, 0), ended: await this.#endLost() };
  }

  async #endLost(): Promise<number> {
    const { rows } = await runStatement<{ tenant_id: string; operation_id: string }>(this.#workers.pool, {
      name: 'kernel.lost_previews',
      text: 'SELECT * FROM kernel.lost_previews($1, $2)',
      values: [LIMITS.attempts.max, ROWS_MAX],
    });
    const ended = await eachInTurn(rows, 'lost previews could not be ended', ({ tenant_id, operation_id }) =>
      this.#endOne(tenant_id, operation_id),
    );
    return ended.filter(Boolean).length;
  }

  async #endOne(tenantId: string, operationId: string): Promise<boolean> {
    const seen = await callKernel<SeenOperation | null>(this.#tenants.pool, 'preview_facts', [tenantId, operationId]);
    if (seen === null) return false;
    // Nobody knows what the lost ones used, so it counts as all of it: killing executors is no way around a budget.
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
        fault: endingFault('attempts.exhausted'),
      },
      null,
    );
    return verdict === 'done';
  }
}
