// SPDX-License-Identifier: Apache-2.0
import { Fault, type OperationEvent } from '@writ/contract';

/** Who wants to hear what happens in a tenant. */
export interface Listener {
  heard(event: OperationEvent): void;
  /** The process stops. */
  stopping(): void;
}

/** Hands events to those who listen, tenant by tenant. Live alone: what nobody listened to is gone. */
export class EventHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #tenantMax: number;

  /** @param tenantMax listeners of one tenant at this replica */
  constructor(tenantMax: number) {
    this.#tenantMax = tenantMax;
  }

  heard(event: OperationEvent): void {
    for (const listener of this.#listeners.get(event.tenant_id) ?? []) listener.heard(event);
  }

  /** Begins to listen; the returned function ends it and MUST be called. Fault `rate.limited`. */
  listen(tenantId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(tenantId) ?? new Set();
    if (listeners.size >= this.#tenantMax)
      throw new Fault('rate.limited', `a tenant may have ${this.#tenantMax} event streams open here`);
    this.#listeners.set(tenantId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      // Another set may have taken its place.
      if (listeners.size === 0 && this.#listeners.get(tenantId) === listeners) this.#listeners.delete(tenantId);
    };
  }

  /** Lets everybody who listens go: the process stops. */
  close(): void {
    for (const listener of [...this.#listeners.values()].flatMap((each) => [...each])) listener.stopping();
  }
}
