// SPDX-License-Identifier: Apache-2.0
import type { Deliveries, DeliveryClaim } from '../../store/webhooks/deliveries.ts';
import { attempt, type AttemptParts } from './attempt.ts';

/** Concurrent attempts by one replica. */
const AT_ONCE_MAX = 64;
/** Concurrent attempts for one tenant, over all replicas, so that hanging ones do not delay other tenants. */
const TENANT_MAX = 8;
/** Time of one attempt in milliseconds: Standard Webhooks asks for 15 to 30 seconds. */
export const ATTEMPT_MS = 15_000;
/** A claim outlasts its attempt; after it expires, another replica attempts a crashed replica's deliveries. */
const CLAIM_MS = 4 * ATTEMPT_MS;
/** A webhook whose attempts have all failed for five days is disabled; the retries of one message take three. */
export const FAILING_MAX_MS = 5 * 24 * 3_600_000;

/** Reports events of deliveries to operators. */
export interface DeliveryObserver {
  readonly disabled: (
    tenantId: string,
    webhook: { readonly webhook_id: string; readonly disabled_reason: string | null },
  ) => void;
  readonly failed: (error: unknown) => void;
  /** how an attempt ended, and how long it took in milliseconds */
  readonly attempted?: (outcome: 'delivered' | 'retried' | 'failed', ms: number) => void;
}

/** Attempts due deliveries, up to the limit of concurrent attempts. */
export class DeliverDue {
  readonly #deliveries: Deliveries;
  readonly #parts: AttemptParts;
  readonly #observer: DeliveryObserver;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(deliveries: Deliveries, parts: AttemptParts, log: DeliveryObserver) {
    this.#deliveries = deliveries;
    this.#parts = parts;
    this.#observer = log;
  }

  /** Claims due deliveries up to the limit, and resolves when their attempts have begun. */
  async run(): Promise<void> {
    const rows = AT_ONCE_MAX - this.#running.size;
    if (rows <= 0 || this.#stopping.signal.aborted) return;
    for (const claim of await this.#deliveries.claim({ rows, tenantMax: TENANT_MAX, claimMs: CLAIM_MS }))
      this.#begin(claim);
  }

  /** Resolves when no attempt is in progress. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Aborts all attempts. Their claims expire, and the deliveries are attempted again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.idle();
  }

  #begin(claim: DeliveryClaim): void {
    const running = this.#attempt(claim)
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) this.#observer.failed(error);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #attempt(claim: DeliveryClaim): Promise<void> {
    const delivery = await this.#deliveries.open(claim);
    if (delivery === null) return;
    const began = performance.now();
    const end = await attempt(this.#parts, claim, delivery, this.#stopping.signal);
    this.#observer.attempted?.(
      end.arrived ? 'delivered' : end.retryMs === null ? 'failed' : 'retried',
      performance.now() - began,
    );
    const disabled = await this.#deliveries.settle(claim, end, FAILING_MAX_MS);
    if (disabled !== null) this.#observer.disabled(claim.tenant_id, disabled);
  }
}
