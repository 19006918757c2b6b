// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type RenewReply, type RenewRequest } from '@writ/contract';
import { runStatement } from '@writ/database';
import { canonicalBytes } from '@writ/digest';
import type { TenantVault } from '../payload/index.ts';
import type { TenantPool } from '../store/index.ts';

export interface RenewOptions {
  readonly leaseMs: number;
}

/** Each request is announced once by itself at most, and once with those that wait for a renewal. */
const PIECES_MAX = 2 * LIMITS.egressRequests.max * LIMITS.attempts.max;

/** Keeps attempts alive while their executors speak for them. */
export class Renew {
  readonly #tenants: TenantPool;
  readonly #vault: TenantVault;
  readonly #options: RenewOptions;

  constructor(tenants: TenantPool, vault: TenantVault, options: RenewOptions) {
    this.#tenants = tenants;
    this.#vault = vault;
    this.#options = options;
  }

  /**
   * Extends the lease, and keeps what the gate announces of the attempt's list. @throws Fault `attempt.fenced` for any
   * other attempt than the current one, and once the lease has run out.
   */
  run(request: RenewRequest): Promise<RenewReply> {
    return this.#renew(request, false);
  }

  /**
   * Notes that an external effect is about to start: from now on the call is never retried. The note is durable when
   * this resolves, with the lines that came along. With `stop` in the answer no effect was noted, and the executor MUST
   * NOT start it. @throws Fault `attempt.fenced`: the same.
   */
  effectStarted(request: RenewRequest): Promise<RenewReply> {
    return this.#renew(request, true);
  }

  async #renew(request: RenewRequest, effect: boolean): Promise<RenewReply> {
    const { tenant_id, operation_id, attempt, mode, executor_id, nonce, announced } = request;
    if (mode === 'preview' && announced !== undefined)
      throw new Fault('request.malformed', 'a preview lets no request out');
    const name =
      mode === 'preview' ? 'kernel.renew_preview' : announced === undefined ? 'kernel.renew' : 'kernel.renew_announced';
    const values = [
      tenant_id,
      operation_id,
      attempt,
      executor_id,
      nonce,
      this.#options.leaseMs,
      effect,
      ...(announced === undefined ? [] : [await this.#sealed(request), PIECES_MAX]),
    ];
    const { rows } = await runStatement<{ lease_until: number; stop: boolean }>(this.#tenants.pool, {
      name,
      text: `SELECT * FROM ${name}(${values.map((_, index) => `$${String(index + 1)}`).join(', ')})`,
      values,
    });
    const [renewed] = rows;
    if (renewed === undefined) throw new Fault('attempt.fenced');
    return { v: 1, ...renewed };
  }

  async #sealed({ tenant_id, operation_id, attempt, announced }: RenewRequest): Promise<Buffer> {
    return await this.#vault.calls
      .sealById(tenant_id, operation_id, 'announced', canonicalBytes({ attempt, ...announced }))
      .catch((error: unknown) => {
        // An executor learns nothing of who is a tenant.
        throw error instanceof Fault && error.code === 'not_found' ? new Fault('attempt.fenced') : error;
      });
  }
}
