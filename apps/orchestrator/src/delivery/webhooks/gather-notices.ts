// SPDX-License-Identifier: Apache-2.0
import type { Notice, TenantId } from '@writ/contract';
import type { Deliveries } from '../../store/webhooks/deliveries.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { messageOf } from './message.ts';

/** Notices that are asked for at once; as many as a message between processes holds with ease. */
const NOTICES_MAX = 100;

/**
 * Fetches what the kernel has to tell, and keeps it for the webhooks that listen. INVARIANT (none lost, none twice): a
 * notice is dropped by the kernel after it is durable here, and here it is kept once for each webhook, so any number of
 * replicas may gather and die as they like.
 */
export class GatherNotices {
  readonly #kernel: KernelClient;
  readonly #deliveries: Deliveries;
  readonly #report: (error: unknown) => void;

  constructor(kernel: KernelClient, deliveries: Deliveries, report: (error: unknown) => void) {
    this.#kernel = kernel;
    this.#deliveries = deliveries;
    this.#report = report;
  }

  /**
   * Gathers until there is nothing more. What couldn't be kept for one tenant is handed out again, and holds up no
   * other tenant.
   */
  async run(): Promise<void> {
    for (let isMore = true; isMore;) {
      const notices = await this.#kernel.takeNotices(NOTICES_MAX);
      const kept = (
        await Promise.all(
          [...Map.groupBy(notices, ({ tenant_id }) => tenant_id)].map(([tenantId, its]) => this.#keep(tenantId, its)),
        )
      ).flat();
      if (kept.length > 0) await this.#kernel.dropNotices(kept);
      isMore = notices.length === NOTICES_MAX && kept.length > 0;
    }
  }

  async #keep(tenantId: TenantId, notices: readonly Notice[]): Promise<string[]> {
    try {
      await this.#deliveries.spread(tenantId, notices.map(messageOf));
      return notices.map(({ notice_id }) => notice_id);
    } catch (error) {
      this.#report(error);
      return [];
    }
  }
}
