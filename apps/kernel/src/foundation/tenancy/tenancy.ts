// SPDX-License-Identifier: Apache-2.0
import { PrismaPg } from '@prisma/adapter-pg';
import { retryContention } from '@writ/database';
import { PrismaClient, type Prisma } from '../../generated/prisma/client.ts';
import { boundFault, quotaFault } from '../database/kernel-errors.ts';
import type { TenantPool } from '../database/pools.ts';
import { driverErrorOf } from './prisma-fault.ts';

/** The tables of one tenant, within one transaction. */
export type Rows = Prisma.TransactionClient;

/**
 * The same bounds on the wait for a connection and on a transaction as elsewhere in the kernel. The query builder's own
 * bounds are shorter than a busy machine's pauses.
 */
const BOUNDS = { maxWait: 5_000, timeout: 10_000 } as const;

/**
 * Ordinary queries: each within a transaction that shows one tenant's rows and no others. They use the connections of
 * the hot paths.
 */
export class Tenancy {
  readonly #client: PrismaClient;

  constructor(tenants: TenantPool) {
    this.#client = new PrismaClient({ adapter: new PrismaPg(tenants.pool) });
  }

  /**
   * Runs `work` in one transaction of the tenant and resolves after COMMIT; a throw rolls everything back. `now` is the
   * database's clock in milliseconds. `work` MUST have no effect except through its rows: it runs again after a
   * deadlock. @throws Fault `database.unavailable`, `overloaded`, `workspace.quota`, `token.agent`
   */
  async within<T>(tenantId: string, work: (rows: Rows, now: number) => Promise<T>): Promise<T> {
    return await retryContention(async () => {
      try {
        return await this.#client.$transaction(async (rows) => {
          const [opened] = await rows.$queryRaw<
            { now: bigint }[]
          >`SELECT set_config('writ.tenant_id', ${tenantId}, true), kernel.now_ms() AS now`;
          return await work(rows, Number(opened?.now));
        }, BOUNDS);
      } catch (error) {
        throw boundFault(quotaFault(driverErrorOf(error)));
      }
    });
  }

  /** Doesn't end the pool: its owner does. */
  async close(): Promise<void> {
    await this.#client.$disconnect();
  }
}
