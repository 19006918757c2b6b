// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, type OutputEvent, type WatchEvent } from '@writ/contract';
import { OutputFeed, type OutputListener } from './output-feed.ts';

/** Random enough that no two processes ask under one id. */
const WATCH_ID_BYTES = 16;

type FollowedCall = Pick<WatchEvent, 'tenant_id' | 'operation_id'>;

/** The feeds of the calls that clients of this replica follow: one for each call, while somebody follows it. */
export class OutputFeeds {
  readonly #feeds = new Map<string, OutputFeed>();
  readonly #ofTenant = new Map<string, number>();
  readonly #tenantMax: number;
  readonly #publish: (event: WatchEvent) => void;
  readonly #now: () => number;

  /** @param tenantMax most clients of one tenant that follow calls at this replica */
  constructor(tenantMax: number, publish: (event: WatchEvent) => void, now: () => number) {
    this.#tenantMax = tenantMax;
    this.#publish = publish;
    this.#now = now;
  }

  receive(event: OutputEvent): void {
    this.#feeds.get(event.operation_id)?.receive(event);
  }

  /**
   * Opens the feed of a call for a listener that `listenerOf` makes. Callers MUST have checked that the client may see
   * the call, and MUST call `stop`. Fault `rate.limited`.
   */
  follow<L extends OutputListener>(
    call: FollowedCall,
    listenerOf: (feed: OutputFeed) => L,
  ): { readonly listener: L; readonly stop: () => void } {
    const { tenant_id, operation_id } = call;
    const has = this.#ofTenant.get(tenant_id) ?? 0;
    if (has >= this.#tenantMax)
      throw new Fault('rate.limited', `a tenant may follow the output of ${this.#tenantMax} calls at once here`);
    const id = randomBytes(WATCH_ID_BYTES).toString('hex');
    const feed = this.#feeds.get(operation_id) ?? new OutputFeed(id, call, this.#publish, this.#now);
    this.#feeds.set(operation_id, feed);
    this.#ofTenant.set(tenant_id, has + 1);
    const listener = listenerOf(feed);
    feed.add(listener);
    let isStopped = false;
    const stop = (): void => {
      if (isStopped) return;
      isStopped = true;
      if (feed.remove(listener) && this.#feeds.get(operation_id) === feed) this.#feeds.delete(operation_id);
      const left = (this.#ofTenant.get(tenant_id) ?? 1) - 1;
      if (left === 0) this.#ofTenant.delete(tenant_id);
      else this.#ofTenant.set(tenant_id, left);
    };
    return { listener, stop };
  }

  /** Notifies all that the process stops. */
  close(): void {
    for (const feed of [...this.#feeds.values()]) feed.stopping();
  }
}
