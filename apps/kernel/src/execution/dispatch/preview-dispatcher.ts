// SPDX-License-Identifier: Apache-2.0
import type { Lane } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import type { DispatchedCall } from '../../foundation/database/functions/dispatch.ts';
import type { DispatcherOptions } from './dispatcher.ts';
import type { PermitIssuer } from './permit-issuer.ts';
import type { Slots } from './slots.ts';

const LANES: readonly Lane[] = ['inline', 'sandboxed'];

/**
 * Dispatches waiting previews to executors, into slots that runs leave free: runs fill the lanes up to twice the free
 * slots, previews only up to the free slots. INVARIANT (durable before sent): as for runs.
 */
export class PreviewDispatcher {
  readonly #workers: CrossTenantPool;
  readonly #permitIssuer: PermitIssuer;
  readonly #slots: Slots;
  readonly #options: DispatcherOptions;

  constructor(workers: CrossTenantPool, permitIssuer: PermitIssuer, slots: Slots, options: DispatcherOptions) {
    this.#workers = workers;
    this.#permitIssuer = permitIssuer;
    this.#slots = slots;
    this.#options = options;
  }

  /** One pass over the lanes. Resolves with how many were dispatched. */
  async run(): Promise<number> {
    const counts = await Promise.all(LANES.map((lane) => this.#pass(lane)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #pass(lane: Lane): Promise<number> {
    const free = this.#slots.free(lane);
    if (free === 0) return 0;
    const { calls, issued_at, expires_at } = await kernelSql.dispatchPreviews(this.#workers.pool, {
      lane,
      outstanding: free,
      ttl_ms: this.#options.permitTtlMs,
    });
    await Promise.all(calls.map((call) => this.#issue(lane, call, issued_at, expires_at)));
    return calls.length;
  }

  async #issue(lane: Lane, call: DispatchedCall, issuedAt: number, expiresAt: number): Promise<void> {
    try {
      await this.#permitIssuer.issue(lane, 'preview', call, issuedAt, expiresAt);
    } catch (error) {
      this.#options.report(error);
      await kernelSql.undispatchPreview(this.#workers.pool, { operation: call.operation_id, attempt: call.attempt });
    }
  }
}
