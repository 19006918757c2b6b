// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, RetentionView } from '@writ/contract';
import { contentDigest, type Changes } from '../changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { newId } from '@writ/nest-kit';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import { found, plainRow, requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';

/** Tenants looked at in one pass: what a second or two take. */
const TENANTS_MAX = 100;

/** How long tenants keep contents: shown, and set by their administrators. */
export class RetentionRules {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /** @throws Fault `auth.role` */
  async read({ caller }: KernelRequest<'retention.read'>): Promise<RetentionView> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    return await this.#tenancy.within(caller.tenant_id, async (rows) => await retentionOf(rows, caller.tenant_id));
  }

  /**
   * What is set to what it is already changes nothing and is no record. What is over age by now goes with the next
   * look.
   * @throws Fault `auth.role`
   */
  async set({ caller, payload_days, output_days }: KernelRequest<'retention.set'>): Promise<RetentionView> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make<RetentionView>(tenant_id, async (rows, now) => {
      const before = await retentionOf(rows, tenant_id);
      if (before.payload_days === payload_days && before.output_days === output_days)
        return { value: before, records: [] };
      await rows.tenant.updateMany({ where: { tenant_id }, data: { payload_days, output_days, retention_at: now } });
      return {
        value: { payload_days, output_days, changed_at: now },
        records: [
          {
            kind: 'change',
            actor: api_key_id,
            change: {
              verb: 'retention_changed',
              subject: tenant_id,
              digest: contentDigest({ payload_days, output_days }),
            },
          },
        ],
      };
    });
  }
}

async function retentionOf(rows: Rows, tenantId: string): Promise<RetentionView> {
  const { retention_at, ...days } = plainRow(
    found(
      await rows.tenant.findUnique({
        where: { tenant_id: tenantId },
        select: { payload_days: true, output_days: true, retention_at: true },
      }),
    ),
  );
  return { ...days, changed_at: retention_at };
}

/**
 * Begins to erase what is over age. The worker's role finds whose turn it is; the tenant's role begins, and
 * `EraseBatches` does it.
 */
export class RetainContents {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #everyMs: number;

  /** @param everyMs milliseconds between two looks at one tenant */
  constructor(workers: CrossTenantPool, tenants: TenantPool, everyMs: number) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#everyMs = everyMs;
  }

  /** Replicas may do so at once: each tenant is one's. Resolves with the erasures that were begun. */
  async run(): Promise<number> {
    let begun = 0;
    for (let looked = 0; looked < TENANTS_MAX; looked += 1) {
      const tenantId = await kernelSql.takeRetention(this.#workers.pool, { every: this.#everyMs });
      if (tenantId === null) break;
      begun += Number(
        await kernelSql.beginRetention(this.#tenants.pool, { tenant: tenantId, erasure: newId('erasure') }),
      );
    }
    return begun;
  }
}
