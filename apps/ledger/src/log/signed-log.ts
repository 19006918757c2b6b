// SPDX-License-Identifier: Apache-2.0
import { logIdOf, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import type { Checkpoint, Checkpoints } from '../signing/checkpoints.ts';

/**
 * Reads what it was asked for as far as the checkpoint covers it; null where it doesn't. There is no checkpoint in a
 * log of which nothing was signed yet.
 */
export type SignedRead<T> = (client: Client, logId: string, newest: Checkpoint | null) => Promise<T | null>;

/**
 * A tenant's log as far as it is signed. A note is stored a moment after the append that it signs was answered, and a
 * ledger may die between the two: what isn't covered is looked for once more, with the newest root signed.
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
    return (await this.#look(tenantId, read)) ?? (await this.readNewest(tenantId, read));
  }

  /**
   * Reads under the newest root, signed if it isn't yet. Faults: `not_found` for a log without records,
   * `ledger.diverged`, `ledger.unavailable`.
   */
  async readNewest<T>(tenantId: string, read: SignedRead<T>): Promise<T | null> {
    await this.#checkpoints.signNewest(logIdOf(tenantId as TenantId), tenantId);
    return await this.#look(tenantId, read);
  }

  /** One snapshot for the checkpoint and what it covers: a batch that commits meanwhile is not half seen. */
  #look<T>(tenantId: string, read: SignedRead<T>): Promise<T | null> {
    const logId = logIdOf(tenantId as TenantId);
    return inTenant(
      this.#pool,
      tenantId,
      async (client) => read(client, logId, await this.#checkpoints.newest(client, logId)),
      { isolation: 'repeatable read', readOnly: true },
    );
  }
}
