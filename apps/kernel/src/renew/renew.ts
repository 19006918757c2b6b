// SPDX-License-Identifier: Apache-2.0
import { Fault, type RenewReply, type RenewRequest } from '@writ/contract';
import { runStatement } from '@writ/database';
import type { TenantPool } from '../store/index.ts';

export interface RenewOptions {
  readonly leaseMs: number;
}

/** Keeps attempts alive while their executors speak for them. */
export class Renew {
  readonly #tenants: TenantPool;
  readonly #options: RenewOptions;

  constructor(tenants: TenantPool, options: RenewOptions) {
    this.#tenants = tenants;
    this.#options = options;
  }

  /** Extends the lease. @throws Fault `attempt.fenced` for any other attempt than the current one, and once the lease has run out. */
  run(request: RenewRequest): Promise<RenewReply> {
    return this.#renew(request, false);
  }

  /**
   * Notes that an external effect is about to start: from now on the call is never retried. The note is durable when this resolves. With `stop` in the
   * answer nothing was noted, and the executor MUST NOT start the effect. @throws Fault `attempt.fenced`: the same.
   */
  effectStarted(request: RenewRequest): Promise<RenewReply> {
    return this.#renew(request, true);
  }

  async #renew(request: RenewRequest, effect: boolean): Promise<RenewReply> {
    const { tenant_id, operation_id, attempt, mode, executor_id, nonce } = request;
    const name = mode === 'preview' ? 'kernel.renew_preview' : 'kernel.renew';
    const { rows } = await runStatement<{ lease_until: number; stop: boolean }>(this.#tenants.pool, {
      name,
      text: `SELECT * FROM ${name}($1, $2, $3, $4, $5, $6, $7)`,
      values: [tenant_id, operation_id, attempt, executor_id, nonce, this.#options.leaseMs, effect],
    });
    const [renewed] = rows;
    if (renewed === undefined) throw new Fault('attempt.fenced');
    return { v: 1, ...renewed };
  }
}
