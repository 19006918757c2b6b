// SPDX-License-Identifier: Apache-2.0
import { LIMITS, REPORTED_EXECUTORS_MAX, type PoolReport, type SystemReport } from '@writ/contract';
import { isDurable, type Pool } from '@writ/database';
import { VERSION } from '@writ/nest-kit';
import type { Slots } from '../../execution/dispatch/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool, TenantPool } from '../../foundation/database/pools.ts';

/** Reports versions, clocks, settings and load of the installation, as this replica sees them. Nothing is changed. */
export class ReportSystem {
  readonly #tenants: TenantPool;
  readonly #workers: CrossTenantPool;
  readonly #slots: Pick<Slots, 'seen'>;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch, by the clock of this process */
  constructor(tenants: TenantPool, workers: CrossTenantPool, slots: Pick<Slots, 'seen'>, now: () => number) {
    this.#tenants = tenants;
    this.#workers = workers;
    this.#slots = slots;
    this.#now = now;
  }

  async run(): Promise<SystemReport> {
    const { outbox, migrations, ...database } = await kernelSql.systemReport(this.#workers.pool, {
      rows_max: LIMITS.outboxRows.max,
    });
    return {
      version: VERSION,
      now: this.#now(),
      pools: { tenants: poolReport(this.#tenants.pool), workers: poolReport(this.#workers.pool) },
      database: { ...database, durable: isDurable(database.settings) },
      outbox,
      executors: this.#slots.seen().slice(0, REPORTED_EXECUTORS_MAX),
      migrations,
    };
  }
}

const poolReport = ({ options, totalCount, idleCount, waitingCount }: Pool): PoolReport => ({
  connections_max: options.max,
  connections: totalCount,
  idle: idleCount,
  waiting: waitingCount,
});
