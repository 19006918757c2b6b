// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import {
  ambiguousOutcome,
  outcomeFault,
  frozenFault,
  stoppedFault,
  unreportedOutcome,
  type OutcomeDraft,
  type OutcomeWriter,
} from '../outcomes/index.ts';
import type { WakeUp } from '../announcements/wake-up.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import type { SeenOperation } from '../../foundation/rows/attempt-rows.ts';
import type { Requeued } from '../../foundation/database/functions/dispatch.ts';
import { eachInTurn } from './each-in-turn.ts';

/** Rows of a kind that one sweep reads: this bounds its transaction. The next sweep reads the rest. */
const ROWS_MAX = 200;
/**
 * How long a call without a deadline waits for an executor, a person's day included; kernel.waits_until has the same
 * number.
 */
const WAITS_MS_MAX = 172_800_000;

/** The reply of kernel.attempt_facts for an overdue operation. */
interface SeenOverdue extends SeenOperation {
  readonly frozen: FreezeRow | null;
}

/** The counts of a sweep, for metrics. */
export interface Swept {
  readonly unredeemed: number;
  readonly lost: number;
  readonly ended: number;
}

/**
 * Finds operations whose executor is lost or that waited too long. Replicas sweep at once: rows being changed are
 * skipped, and each end is one conditional transaction. The worker's role finds them, across tenants; the tenant's role
 * ends them, with a record.
 */
export class Sweeper {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #outcomeWriter: OutcomeWriter;
  readonly #wakeUp: WakeUp;

  constructor(workers: CrossTenantPool, tenants: TenantPool, outcomeWriter: OutcomeWriter, wakeUp: WakeUp) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#outcomeWriter = outcomeWriter;
    this.#wakeUp = wakeUp;
  }

  async sweep(): Promise<Swept> {
    const requeued = await this.#requeue();
    const count = (lost: boolean): number =>
      requeued.filter((row) => row.lost === lost).reduce((sum, row) => sum + row.count, 0);
    return { unredeemed: count(false), lost: count(true), ended: await this.#endOverdue() };
  }

  async #requeue(): Promise<Requeued[]> {
    const rows = await kernelSql.requeue(this.#workers.pool, { leases_max: LIMITS.attempts.max, rows: ROWS_MAX });
    for (const { lane } of rows) this.#wakeUp.wake(lane);
    return rows;
  }

  async #endOverdue(): Promise<number> {
    const rows = await kernelSql.overdue(this.#workers.pool, { leases_max: LIMITS.attempts.max, rows: ROWS_MAX });
    const ended = await eachInTurn(rows, 'overdue operations could not be ended', ({ tenant_id, operation_id }) =>
      this.endOne(tenant_id, operation_id),
    );
    return ended.filter(Boolean).length;
  }

  /** Ends one operation if it is overdue; false where it isn't, or only goes back to the queue. */
  async endOne(tenantId: string, operationId: string): Promise<boolean> {
    const seen = await kernelSql.attemptFacts(this.#tenants.pool, { tenant: tenantId, operation: operationId });
    const ending = seen === null ? null : overdueOutcome(seen);
    if (seen === null || ending === null) return false;
    return (await this.#outcomeWriter.end(seen, ending)).verdict === 'done';
  }
}

/**
 * The ending of an operation that was not reported in time; null when it isn't overdue (any more), or only goes back to
 * the queue.
 */
export function overdueOutcome({ now, operation, frozen }: SeenOverdue): OutcomeDraft | null {
  if (operation.state === 'admitted') {
    if ((operation.deadline ?? operation.created_at + WAITS_MS_MAX) > now) return null;
    return unreportedOutcome(
      operation,
      operation.deadline === null
        ? outcomeFault('deadline', 'no executor ran the call within two days')
        : outcomeFault('deadline'),
    );
  }
  if (operation.state !== 'performing' || operation.lease_until === null || operation.lease_until >= now) return null;
  // Before all other checks: where an effect may have happened, neither a retry nor a cancellation can be promised.
  if (operation.effect_started) return ambiguousOutcome(['ambiguous']);
  if (operation.cancel_requested) return unreportedOutcome(operation, stoppedFault(operation));
  if (frozen !== null) return unreportedOutcome(operation, frozenFault(frozen));
  return operation.leases_lost + 1 >= LIMITS.attempts.max
    ? unreportedOutcome(operation, outcomeFault('attempts.exhausted'))
    : null;
}
