// SPDX-License-Identifier: Apache-2.0
import { type KernelRequest, type TenantId, type TenantLimitsChange, type TenantLimitsView } from '@writ/contract';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import type { Sizes } from '../../foundation/workspace/sizes.ts';
import {
  requireFound,
  workspaceSizes,
  keptOutputBytes,
  plainRow,
  requireId,
  withQuota,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';

/** Limits that the platform sets for one tenant. */
export class TenantLimits {
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
   * Limits that `change` doesn't name stay. A limit that is set to its current value is no change and has no record.
   * Resolves with all limits once the change is durable. A quota applies to every change of a workspace that hasn't
   * committed by then.
   * @throws Fault `not_found`
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
          if (!isDifferent(before, change)) return { value: before, records: [] };
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
    requireFound(
      await rows.tenant.findUnique({
        where: { tenant_id: tenantId },
        select: {
          requests_per_second: true,
          request_burst: true,
          person_requests_per_second: true,
          person_request_burst: true,
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
    ...(await workspaceSizes(rows, { tenant_id: tenantId })),
    outputs_bytes: await keptOutputBytes(rows, tenantId),
    changed_at: limits_at,
  };
}

function isDifferent(before: TenantLimitsView, change: TenantLimitsChange): boolean {
  return (Object.keys(change) as (keyof TenantLimitsChange)[]).some((name) => before[name] !== change[name]);
}

function columnsOf({ running_max, ...change }: TenantLimitsChange, now: number) {
  return { ...change, ...(running_max === undefined ? {} : { cap: running_max }), limits_at: now };
}
