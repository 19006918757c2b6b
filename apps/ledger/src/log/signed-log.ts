// SPDX-License-Identifier: Apache-2.0
import { logIdOf, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import type { Checkpoint, Checkpoints } from '../signing/checkpoints.ts';

/**
 * Reads as far as the checkpoint covers; null where the checkpoint doesn't cover the request. There is no checkpoint in
 * a log of which nothing is signed yet.
 */
export type SignedRead<T> = (client: Client, logId: string, newest: Checkpoint | null) => Promise<T | null>;

/**
 * A tenant's log as far as it is signed. A note is stored shortly after its append is answered, and a ledger may die
 * between the two. So a read that isn't covered is repeated once, after the newest root is signed.
 */
export class SignedLog {
  readonly #pool: Pool;
  readonly #checkpoints: Checkpoints;

  constructor(pool: Pool, checkpoints: Checkpoints) {
    this.#pool = pool;
    this.#checkpoints = checkpoints;
  }

  /** Null where the newest root doesn't cover it either. Faults: those of `readNewest`. */
  async read<T>(tenantId: string, read: SignedRead<T>): Promise<T | null> {
    return (await this.#readSnapshot(tenantId, read)) ?? (await this.readNewest(tenantId, read));
  }

  /**
   * Reads under the newest root, signed if it isn't yet. Faults: `not_found` for a log without records,
   * `ledger.diverged`, `ledger.unavailable`.
   */
  async readNewest<T>(tenantId: string, read: SignedRead<T>): Promise<T | null> {
    await this.#checkpoints.signNewest(logIdOf(tenantId as TenantId), tenantId);
    return await this.#readSnapshot(tenantId, read);
  }

  /**
   * One database snapshot for the checkpoint and the records that it covers, so that a concurrent batch is not half
   * visible.
   */
  #readSnapshot<T>(tenantId: string, read: SignedRead<T>): Promise<T | null> {
    const logId = logIdOf(tenantId as TenantId);
    return inTenant(
      this.#pool,
      tenantId,
      async (client) => read(client, logId, await this.#checkpoints.newest(client, logId)),
      { isolation: 'repeatable read', readOnly: true },
    );
  }
}
