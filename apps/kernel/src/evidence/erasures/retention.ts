// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, RetentionView } from '@writ/contract';
import { contentDigest, type Changes } from '../changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { newId, requireMatch } from '@writ/nest-kit';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import {
  callIn,
  plainRow,
  requireFound,
  requireRole,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';

/** Tenants that one pass examines: that takes a second or two. */
const TENANTS_MAX = 100;

/** How long tenants keep contents: reads it, and lets administrators set it. */
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
   * Setting the present values changes nothing and makes no record. Contents that exceed the new age are erased at the
   * next pass.
   * @throws Fault `auth.role`, `precondition.failed`
   */
  async set(request: KernelRequest<'retention.set'>): Promise<RetentionView> {
    const { caller, payload_days, output_days, if_match, ...modes } = request;
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make<RetentionView>(tenant_id, async (rows, now) => {
      // Changes take turns, so that a condition holds until its change is written.
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      const before = await retentionOf(rows, tenant_id);
      requireMatch(if_match, before);
      const { payload_mode = before.payload_mode, requests_mode = before.requests_mode } = modes;
      if (
        before.payload_days === payload_days &&
        before.output_days === output_days &&
        before.payload_mode === payload_mode &&
        before.requests_mode === requests_mode
      )
        return { value: before, records: [] };
      const retention = { payload_days, output_days, payload_mode, requests_mode };
      await rows.tenant.updateMany({ where: { tenant_id }, data: { ...retention, retention_at: now } });
      return {
        value: { ...retention, changed_at: now },
        records: [
          {
            kind: 'change',
            actor: api_key_id,
            change: { verb: 'retention_changed', subject: tenant_id, digest: contentDigest(retention) },
          },
        ],
      };
    });
  }
}

async function retentionOf(rows: Rows, tenantId: string): Promise<Required<RetentionView>> {
  const { retention_at, payload_mode, requests_mode, ...days } = plainRow(
    requireFound(
      await rows.tenant.findUnique({
        where: { tenant_id: tenantId },
        select: { payload_days: true, output_days: true, payload_mode: true, requests_mode: true, retention_at: true },
      }),
    ),
  );
  return {
    ...days,
    payload_mode: payload_mode === 'hashes' ? 'hashes' : 'full',
    requests_mode: requests_mode === 'none' ? 'none' : 'full',
    changed_at: retention_at,
  };
}

/**
 * Begins to erase contents that exceed the retention. The worker's role finds the tenant whose turn it is, the tenant's
 * role begins the erasure, and `EraseBatches` performs it.
 */
export class RetainContents {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #everyMs: number;

  /** @param everyMs milliseconds between two passes over one tenant */
  constructor(workers: CrossTenantPool, tenants: TenantPool, everyMs: number) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#everyMs = everyMs;
  }

  /** Replicas may do so at once: each tenant is served by one of them. Resolves with the erasures that were begun. */
  async run(): Promise<number> {
    let begun = 0;
    for (let examined = 0; examined < TENANTS_MAX; examined += 1) {
      const tenantId = await kernelSql.takeRetention(this.#workers.pool, { every: this.#everyMs });
      if (tenantId === null) break;
      begun += Number(
        await kernelSql.beginRetention(this.#tenants.pool, { tenant: tenantId, erasure: newId('erasure') }),
      );
    }
    return begun;
  }
}
