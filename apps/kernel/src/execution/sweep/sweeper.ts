// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import {
  ambiguousEnding,
  endingFault,
  frozenFault,
  stoppedFault,
  unreportedEnding,
  type Ending,
  type OutcomeWriter,
} from '../outcomes/index.ts';
import type { WakeUp } from '../announcements/wake-up.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import type { SeenOperation } from '../../foundation/rows/attempt-rows.ts';
import type { Requeued } from '../../foundation/database/functions/dispatch.ts';
import { eachInTurn } from './each-in-turn.ts';

/** Rows that one sweep takes of a kind: bounds its transaction. What is left comes with the next. */
const ROWS_MAX = 200;
/**
 * How long a call without a deadline waits for an executor, a person's day included; kernel.waits_until says the same.
 */
const WAITS_MS_MAX = 172_800_000;

/** What kernel.attempt_facts says of one that is overdue. */
interface SeenOverdue extends SeenOperation {
  readonly frozen: FreezeRow | null;
}

/** What a sweep did, for metrics. */
export interface Swept {
  readonly unredeemed: number;
  readonly lost: number;
  readonly ended: number;
}

/**
 * Finds what nobody speaks for any more. Replicas sweep at once: rows being changed are skipped, and each end is one
 * conditional transaction. The worker's role finds, across tenants; the tenant's role ends, with a record.
 */
export class Sweeper {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #endings: OutcomeWriter;
  readonly #bell: WakeUp;

  constructor(workers: CrossTenantPool, tenants: TenantPool, endings: OutcomeWriter, bell: WakeUp) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#endings = endings;
    this.#bell = bell;
  }

  async sweep(): Promise<Swept> {
    const requeued = await this.#requeue();
    const count = (lost: boolean): number =>
      requeued.filter((row) => row.lost === lost).reduce((sum, row) => sum + row.count, 0);
    return { unredeemed: count(false), lost: count(true), ended: await this.#endOverdue() };
  }

  async #requeue(): Promise<Requeued[]> {
    const rows = await kernelSql.requeue(this.#workers.pool, { leases_max: LIMITS.attempts.max, rows: ROWS_MAX });
    for (const { lane } of rows) this.#bell.wake(lane);
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
    const ending = seen === null ? null : overdueEnding(seen);
    if (seen === null || ending === null) return false;
    return (await this.#endings.end(seen, ending)).verdict === 'done';
  }
}

/**
 * How an operation ends that nobody reported in time; null when it isn't overdue (any more), or only goes back to the
 * queue.
 */
export function overdueEnding({ now, operation, frozen }: SeenOverdue): Ending | null {
  if (operation.state === 'admitted') {
    if ((operation.deadline ?? operation.created_at + WAITS_MS_MAX) > now) return null;
    return unreportedEnding(
      operation,
      operation.deadline === null
        ? endingFault('deadline', 'no executor took the call in two days')
        : endingFault('deadline'),
    );
  }
  if (operation.state !== 'performing' || operation.lease_until === null || operation.lease_until >= now) return null;
  // Before anything else: where an effect may have happened, neither a retry nor a cancellation can be promised.
  if (operation.effect_started) return ambiguousEnding(['ambiguous']);
  if (operation.cancel_requested) return unreportedEnding(operation, stoppedFault(operation));
  if (frozen !== null) return unreportedEnding(operation, frozenFault(frozen));
  return operation.leases_lost + 1 >= LIMITS.attempts.max
    ? unreportedEnding(operation, endingFault('attempts.exhausted'))
    : null;
}
