// SPDX-License-Identifier: Apache-2.0
import type { Deliveries, DeliveryClaim } from '../../store/webhooks/deliveries.ts';
import { attempt, type AttemptParts } from './attempt.ts';

/** Attempts at once by one replica. */
const AT_ONCE_MAX = 64;
/** Attempts at once for one tenant, over all replicas: ones that hang hold up nobody else. */
const TENANT_MAX = 8;
/** Time of one attempt in milliseconds: Standard Webhooks asks for 15 to 30 seconds. */
export const ATTEMPT_MS = 15_000;
/** A claim outlives its attempt; what a dead replica had claimed is tried by another then. */
const CLAIM_MS = 4 * ATTEMPT_MS;
/** A webhook that nothing reached for five days is disabled: the schedule of a message is three. */
export const FAILING_MAX_MS = 5 * 24 * 3_600_000;

/** Tells whoever operates what became of a webhook. */
export interface DeliveryLog {
  readonly disabled: (
    tenantId: string,
    webhook: { readonly webhook_id: string; readonly disabled_reason: string | null },
  ) => void;
  readonly failed: (error: unknown) => void;
  /** how an attempt ended, and how long it took in milliseconds; nobody is told unless it is there */
  readonly tried?: (outcome: 'delivered' | 'retried' | 'failed', ms: number) => void;
}

/** Tries what is due, as much at once as there is room for. */
export class DeliverDue {
  readonly #deliveries: Deliveries;
  readonly #parts: AttemptParts;
  readonly #log: DeliveryLog;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(deliveries: Deliveries, parts: AttemptParts, log: DeliveryLog) {
    this.#deliveries = deliveries;
    this.#parts = parts;
    this.#log = log;
  }

  /** Begins with what is due and has room; resolves when that has begun. */
  async run(): Promise<void> {
    const rows = AT_ONCE_MAX - this.#running.size;
    if (rows <= 0 || this.#stopping.signal.aborted) return;
    for (const claim of await this.#deliveries.claim({ rows, tenantMax: TENANT_MAX, claimMs: CLAIM_MS }))
      this.#begin(claim);
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Breaks off what is under way: its claims run out, and it is tried again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.idle();
  }

  #begin(claim: DeliveryClaim): void {
    const running = this.#try(claim)
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) this.#log.failed(error);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #try(claim: DeliveryClaim): Promise<void> {
    const delivery = await this.#deliveries.open(claim);
    if (delivery === null) return;
    const began = performance.now();
    const end = await attempt(this.#parts, claim, delivery, this.#stopping.signal);
    this.#log.tried?.(
      end.arrived ? 'delivered' : end.retryMs === null ? 'failed' : 'retried',
      performance.now() - began,
    );
    const disabled = await this.#deliveries.settle(claim, end, FAILING_MAX_MS);
    if (disabled !== null) this.#log.disabled(claim.tenant_id, disabled);
  }
}
