// SPDX-License-Identifier: Apache-2.0
import { Fault, type OperationEvent } from '@writ/contract';

/** A subscriber to the events of a tenant. */
export interface EventSubscriber {
  receive(event: OperationEvent): void;
  /** Called when the process stops. */
  stopping(): void;
}

/** Passes events to the subscribers of their tenant. Events are not stored: without a subscriber they are lost. */
export class EventHub {
  readonly #subscribers = new Map<string, Set<EventSubscriber>>();
  readonly #tenantMax: number;

  /** @param tenantMax most subscribers of one tenant at this replica */
  constructor(tenantMax: number) {
    this.#tenantMax = tenantMax;
  }

  publish(event: OperationEvent): void {
    for (const listener of this.#subscribers.get(event.tenant_id) ?? []) listener.receive(event);
  }

  /**
   * Subscribes `listener`. Callers MUST call the returned function, which ends the subscription. Fault `rate.limited`.
   */
  subscribe(tenantId: string, listener: EventSubscriber): () => void {
    const listeners = this.#subscribers.get(tenantId) ?? new Set();
    if (listeners.size >= this.#tenantMax)
      throw new Fault('rate.limited', `a tenant may have ${this.#tenantMax} event streams open here`);
    this.#subscribers.set(tenantId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      // Another set may have replaced it.
      if (listeners.size === 0 && this.#subscribers.get(tenantId) === listeners) this.#subscribers.delete(tenantId);
    };
  }

  /** Notifies all subscribers that the process stops. */
  close(): void {
    for (const listener of [...this.#subscribers.values()].flatMap((each) => [...each])) listener.stopping();
  }
}
