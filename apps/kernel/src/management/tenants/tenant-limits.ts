// SPDX-License-Identifier: Apache-2.0
import { type KernelRequest, type TenantId, type TenantLimitsChange, type TenantLimitsView } from '@writ/contract';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import type { Sizes } from '../../foundation/workspace/sizes.ts';
import {
  found,
  heldIn,
  outputsHeld,
  plainRow,
  requireId,
  withQuota,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';

/** Limits that the platform sets for one tenant. */
export class Limits {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #sizes: Sizes;

  constructor(tenancy: Tenancy, changes: Changes, sizes: Sizes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#sizes = sizes;
  }

  /** @throws Fault `not_found` */
  async read({ tenant_id }: KernelRequest<'tenant.limits.read'>): Promise<TenantLimitsView> {
    requireId('tenant', tenant_id);
    await this.#sizes.count(tenant_id);
    return await this.#tenancy.within(tenant_id, async (rows) => await limitsOf(rows, tenant_id));
  }

  /**
   * What isn't named stays; what is set to what it is already changes nothing and is no record. Resolves once it is
   * durable, with all of them: a quota counts for every change of a workspace that hasn't committed by then. @throws
   * Fault `not_found`
   */
  async set({ tenant_id, change }: KernelRequest<'tenant.limits.set'>): Promise<TenantLimitsView> {
    requireId('tenant', tenant_id);
    return await withQuota(
      this.#sizes,
      tenant_id,
      null,
      change,
      async (isCounted) =>
        await this.#changes.make(tenant_id, async (rows, now) => {
          if (!(await isCounted(rows))) return { value: null, records: [] };
          const before = await limitsOf(rows, tenant_id);
          const value: TenantLimitsView = { ...before, ...change, changed_at: now };
          if (!isAnother(before, change)) return { value: before, records: [] };
          await rows.tenant.updateMany({ where: { tenant_id }, data: columnsOf(change, now) });
          const { changed_at: _when, files: _files, bytes: _bytes, outputs_bytes: _outputs, ...limits } = value;
          return {
            value,
            records: [
              {
                kind: 'change',
                actor: 'platform',
                change: { verb: 'tenant_limits_changed', subject: tenant_id, digest: contentDigest(limits) },
              },
            ],
          };
        }),
    );
  }
}

async function limitsOf(rows: Rows, tenantId: TenantId): Promise<TenantLimitsView> {
  const { cap, limits_at, ...limits } = plainRow(
    found(
      await rows.tenant.findUnique({
        where: { tenant_id: tenantId },
        select: {
          requests_per_second: true,
          request_burst: true,
          weight: true,
          cap: true,
          waiting_max: true,
          limits_at: true,
          files_max: true,
          bytes_max: true,
          outputs_bytes_max: true,
        },
      }),
    ),
  );
  return {
    tenant_id: tenantId,
    ...limits,
    running_max: cap,
    ...(await heldIn(rows, { tenant_id: tenantId })),
    outputs_bytes: await outputsHeld(rows, tenantId),
    changed_at: limits_at,
  };
}

function isAnother(before: TenantLimitsView, change: TenantLimitsChange): boolean {
  return (Object.keys(change) as (keyof TenantLimitsChange)[]).some((name) => before[name] !== change[name]);
}

function columnsOf({ running_max, ...change }: TenantLimitsChange, now: number) {
  return { ...change, ...(running_max === undefined ? {} : { cap: running_max }), limits_at: now };
}
