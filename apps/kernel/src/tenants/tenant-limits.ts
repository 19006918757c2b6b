// SPDX-License-Identifier: Apache-2.0
import { type KernelRequest, type LimitsChanged, type LimitsSince, type TenantId, type TenantLimits, type TenantLimitsChange } from '@writ/contract';
import { contentDigest, type Changes } from '../changes/index.ts';
import { callKernel, type WorkerPool } from '../store/index.ts';
import { found, requireId, type Rows, type Tenancy } from '../tenancy/index.ts';

/** Tenants of one page: some hundred bytes each, so a page is a message of ordinary size. */
const PAGE = 500;

/** Limits that the platform sets for one tenant. */
export class Limits {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /** @throws Fault `not_found` */
  async read({ tenant_id }: KernelRequest<'tenant.limits.read'>): Promise<TenantLimits> {
    requireId('tenant', tenant_id);
    return await this.#tenancy.within(tenant_id, async (rows) => await limitsOf(rows, tenant_id));
  }

  /** What isn't named stays; what is set to what it is already changes nothing and is no record. Resolves once it is durable, with all of them. @throws Fault `not_found` */
  async set({ tenant_id, change }: KernelRequest<'tenant.limits.set'>): Promise<TenantLimits> {
    requireId('tenant', tenant_id);
    return await this.#changes.make(tenant_id, async (rows, now) => {
      const before = await limitsOf(rows, tenant_id);
      const value: TenantLimits = { ...before, ...change, changed_at: now };
      if (!isAnother(before, change)) return { value: before, records: [] };
      await rows.tenant.updateMany({ where: { tenant_id }, data: columnsOf(change, now) });
      const { changed_at: _when, ...limits } = value;
      return { value, records: [{ kind: 'change', actor: 'platform', change: { verb: 'tenant_limits_changed', subject: tenant_id, digest: contentDigest(limits) } }] };
    });
  }
}

/** The limits of every tenant for which they were set at `since` or later, by tenant after `after`, a page at a time. */
export async function limitsSince(workers: WorkerPool, { since, after }: Omit<LimitsSince, 'v'>): Promise<LimitsChanged> {
  const { now, items } = await callKernel<Omit<LimitsChanged, 'more'>>(workers.pool, 'limits_since', [since, after, PAGE]);
  return { now, items, more: items.length === PAGE };
}

async function limitsOf(rows: Rows, tenantId: string): Promise<TenantLimits> {
  const row = found(await rows.tenant.findUnique({
    where: { tenant_id: tenantId }, select: { requests_per_second: true, request_burst: true, weight: true, cap: true, waiting_max: true, limits_at: true },
  }));
  return {
    tenant_id: tenantId as TenantId, requests_per_second: row.requests_per_second, request_burst: row.request_burst, weight: row.weight, running_max: row.cap,
    waiting_max: row.waiting_max, changed_at: row.limits_at === null ? null : Number(row.limits_at),
  };
}

function isAnother(before: TenantLimits, change: TenantLimitsChange): boolean {
  return (Object.keys(change) as (keyof TenantLimitsChange)[]).some((name) => before[name] !== change[name]);
}

function columnsOf({ running_max, ...change }: TenantLimitsChange, now: number) {
  return { ...change, ...(running_max === undefined ? {} : { cap: running_max }), limits_at: now };
}
