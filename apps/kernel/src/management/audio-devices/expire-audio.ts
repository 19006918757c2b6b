// SPDX-License-Identifier: Apache-2.0
import { eachInTurn } from '../../execution/sweep/index.ts';
import { audioSql, type KeptRow } from '../../foundation/database/functions/index.ts';
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

  /**
   * Replicas may do so at once: a frame is removed once. A device that fails keeps no other from its turn. Resolves
   * with the number of frames. @throws AggregateError once all had their turn, where one failed
   */
  async run(): Promise<number> {
    const removed = await eachInTurn(
      await this.#find(),
      'audio devices keep recordings that are too old',
      ({ tenant_id: tenant, device_id: device, keep_ms }) =>
        audioSql.expire(this.#tenants.pool, { tenant, device, since: this.#now() - keep_ms }),
    );
    return removed.reduce((sum, frames) => sum + frames, 0);
  }

  /** Every device that has frames. */
  async #find(): Promise<readonly KeptRow[]> {
    const found: KeptRow[] = [];
    for (;;) {
      const { tenant_id: after_tenant = '', device_id: after_device = '' } = found.at(-1) ?? {};
      const page = await audioSql.kept(this.#workers.pool, { after_tenant, after_device, most: PAGE_DEVICES });
      found.push(...page);
      if (page.length < PAGE_DEVICES) return found;
    }
  }
}
