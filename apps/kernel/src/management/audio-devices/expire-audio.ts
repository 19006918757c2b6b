// SPDX-License-Identifier: Apache-2.0
import { audioSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool, TenantPool } from '../../foundation/database/pools.ts';

/** Devices that one statement returns. */
const PAGE_DEVICES = 500;

/**
 * Removes recordings that are older than the retention of their device. Uploads do so too, but a device that stopped
 * sending has none. The worker's role finds the devices, and the tenant's role removes their frames.
 */
export class ExpireAudio {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #now: () => number;

  /** @param now milliseconds since 1970-01-01 UTC */
  constructor(workers: CrossTenantPool, tenants: TenantPool, now: () => number) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#now = now;
  }

  /** Replicas may do so at once: a frame is removed once. Resolves with the number of frames. */
  async run(): Promise<number> {
    let removed = 0;
    let [after_tenant, after_device] = ['', ''];
    for (;;) {
      const page = await audioSql.kept(this.#workers.pool, { after_tenant, after_device, most: PAGE_DEVICES });
      for (const { tenant_id: tenant, device_id: device, keep_ms } of page)
        removed += await audioSql.expire(this.#tenants.pool, { tenant, device, since: this.#now() - keep_ms });
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_DEVICES) return removed;
      [after_tenant, after_device] = [last.tenant_id, last.device_id];
    }
  }
}
