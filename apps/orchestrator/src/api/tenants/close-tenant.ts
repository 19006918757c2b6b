// SPDX-License-Identifier: Apache-2.0
import type { TenantId, TenantView } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { CachedTenantLimits } from '../../edge/access/tenant-limits.ts';
import { ApiKeys } from '../../store/keys/api-keys.ts';

/** Closes a tenant at the kernel, which records it and ends its calls, and revokes its keys. */
export class CloseTenant {
  readonly #kernel: KernelClient;
  readonly #keys: ApiKeys;
  readonly #tenants: CachedTenantLimits;

  constructor(kernel: KernelClient, keys: ApiKeys, tenants: CachedTenantLimits) {
    this.#kernel = kernel;
    this.#keys = keys;
    this.#tenants = tenants;
  }

  /**
   * INVARIANT (the kernel first): the kernel admits nothing of the tenant before its keys are revoked here. So a crash
   * in between leaves keys that open nothing, and a repeated request completes the rest. Other replicas refuse the
   * tenant's credentials within a second. Faults: `not_found`.
   */
  async run(tenantId: TenantId, reason: string): Promise<TenantView> {
    const tenant = await this.#kernel.askUntilAnswered('tenant.close', null, { tenant_id: tenantId, reason });
    if (tenant.state !== 'closed') return tenant;
    await this.#keys.revokeAll(tenantId);
    await this.#tenants.refresh();
    return tenant;
  }
}
