// SPDX-License-Identifier: Apache-2.0
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { newId } from '@writ/nest-kit';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';

/** Tenants that one pass serves: each is one short transaction. */
const TENANTS_MAX = 100;

/**
 * Begins to erase the content of calls of which only hashes stay, once they have ended. The worker's role finds their
 * tenants, the tenant's role begins the erasure, and `EraseBatches` performs it.
 */
export class KeepHashes {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #afterMs: number;

  /**
   * @param afterMs milliseconds from the end of a call to the erasure of its content, in which its caller may read the
   *   result; also the shortest time between two erasures of a tenant
   */
  constructor(workers: CrossTenantPool, tenants: TenantPool, afterMs: number) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#afterMs = afterMs;
  }

  /** Replicas may do so at once: one of them begins each erasure. Resolves with the erasures that were begun. */
  async run(): Promise<number> {
    const due = await kernelSql.tenantsWithHashes(this.#workers.pool, { after_ms: this.#afterMs, rows: TENANTS_MAX });
    let begun = 0;
    for (const tenant of due)
      begun += Number(
        await kernelSql.beginHashes(this.#tenants.pool, { tenant, erasure: newId('erasure'), after_ms: this.#afterMs }),
      );
    return begun;
  }
}
