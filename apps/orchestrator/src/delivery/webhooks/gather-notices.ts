// SPDX-License-Identifier: Apache-2.0
import type { Notice, TenantId } from '@writ/contract';
import type { ChannelMessages } from '../../store/channels/channel-messages.ts';
import type { Deliveries } from '../../store/webhooks/deliveries.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { changesOf } from '../channels/changes-of.ts';
import { messageOf } from './message.ts';

/** Notices that are fetched at once; they fit easily into one message on the bus. */
const NOTICES_MAX = 100;

/**
 * Fetches the kernel's notices, and stores them for the subscribed webhooks and for channels. INVARIANT (none lost,
 * none twice): the kernel drops a notice after it is durable here. It is stored once for each webhook, and a channel
 * has one message for each approval. So any number of replicas may fetch notices and crash at any time.
 */
export class GatherNotices {
  readonly #kernel: KernelClient;
  readonly #deliveries: Deliveries;
  readonly #channels: Pick<ChannelMessages, 'note'>;
  readonly #report: (error: unknown) => void;

  constructor(
    kernel: KernelClient,
    deliveries: Deliveries,
    channels: Pick<ChannelMessages, 'note'>,
    report: (error: unknown) => void,
  ) {
    this.#kernel = kernel;
    this.#deliveries = deliveries;
    this.#channels = channels;
    this.#report = report;
  }

  /**
   * Fetches until no notices are left. Notices that couldn't be stored for one tenant are returned again later, and do
   * not delay other tenants.
   */
  async run(): Promise<void> {
    for (let isMore = true; isMore;) {
      const notices = await this.#kernel.fetchNotices(NOTICES_MAX);
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
      await this.#deliveries.fanOut(tenantId, notices.map(messageOf));
      const changes = changesOf(notices);
      if (changes.length > 0) await this.#channels.note(tenantId, changes);
      return notices.map(({ notice_id }) => notice_id);
    } catch (error) {
      this.#report(error);
      return [];
    }
  }
}
