// SPDX-License-Identifier: Apache-2.0
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool, TenantPool } from '../../foundation/database/pools.ts';

/** Calls that one transaction passes: it takes some hundred milliseconds. */
const ROWS = 20_000;
/** Tenants that one run looks at: others have their turn at the next one. */
const TENANTS_MAX = 100;
/**
 * How long after its decision a call is added to the sums, in milliseconds. Its time is taken before its transaction
 * commits, and no statement runs as long as this.
 */
export const MARGIN_MS = 10 * 60_000;

/**
 * Adds the calls of tenants to their sums by day. A read is exact without it: it only makes reads cheap. Replicas may
 * do so at once: each call is added once.
 */
export class RollUpUsage {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #everyMs: number;

  /** @param everyMs how long after its last turn a tenant has the next one */
  constructor(workers: CrossTenantPool, tenants: TenantPool, everyMs: number) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#everyMs = everyMs;
  }

  /** Resolves with the number of calls that it passed. */
  async run(): Promise<number> {
    let passed = 0;
    for (let tenants = 0; tenants < TENANTS_MAX; tenants++) {
      const tenant = await kernelSql.takeUsage(this.#workers.pool, { every: this.#everyMs });
      if (tenant === null) break;
      passed += await this.rollUp(tenant);
    }
    return passed;
  }

  /** All of a tenant that may be passed. @param margin milliseconds since the decision of a call */
  async rollUp(tenant: string, margin = MARGIN_MS): Promise<number> {
    let passed = 0;
    for (;;) {
      const rows = await kernelSql.rollUpUsage(this.#tenants.pool, { tenant, rows: ROWS, margin });
      passed += rows;
      if (rows < ROWS) return passed;
    }
  }
}
