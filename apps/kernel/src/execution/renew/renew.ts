// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type RenewReply, type RenewRequest } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

export interface RenewOptions {
  readonly leaseMs: number;
}

/** Each request is announced at most once by itself, and once with those that wait for a renewal. */
const PIECES_MAX = 2 * LIMITS.egressRequests.max * LIMITS.attempts.max;

/** Renews the leases of attempts for as long as their executors request it. */
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
   * Extends the lease, and stores the requests that the gate announces for the attempt's list. @throws Fault
   * `attempt.fenced` for any other attempt than the current one, and once the lease has run out.
   */
  run(request: RenewRequest): Promise<RenewReply> {
    return this.#renew(request, false);
  }

  /**
   * Notes that an external effect is about to start: from now on the call is never retried. The note is durable when
   * this resolves, with the lines that came along. With `stop` in the reply no effect was noted, and the executor MUST
   * NOT start it. @throws Fault `attempt.fenced`: the same.
   */
  effectStarted(request: RenewRequest): Promise<RenewReply> {
    return this.#renew(request, true);
  }

  async #renew(request: RenewRequest, effect: boolean): Promise<RenewReply> {
    const { tenant_id, operation_id, attempt, mode, executor_id, nonce, announced } = request;
    if (mode === 'preview' && announced !== undefined)
      throw new Fault('request.malformed', 'a preview lets no request out');
    const args = {
      tenant: tenant_id,
      operation: operation_id,
      attempt,
      executor: executor_id,
      nonce,
      lease_ms: this.#options.leaseMs,
      effect,
    };
    const { pool } = this.#tenants;
    const renewed =
      announced === undefined
        ? await (mode === 'preview' ? kernelSql.renewPreview : kernelSql.renew)(pool, args)
        : await kernelSql.renewAnnounced(pool, {
            ...args,
            announced: await this.#sealed(request),
            pieces_max: PIECES_MAX,
          });
    if (renewed === null) throw new Fault('attempt.fenced');
    return { v: 1, ...renewed };
  }

  async #sealed({ tenant_id, operation_id, attempt, announced }: RenewRequest): Promise<Buffer> {
    return await this.#vault.calls
      .sealById(tenant_id, operation_id, 'announced', canonicalBytes({ attempt, ...announced }))
      .catch((error: unknown) => {
        // An executor learns nothing of which tenants exist.
        throw error instanceof Fault && error.code === 'not_found' ? new Fault('attempt.fenced') : error;
      });
  }
}
