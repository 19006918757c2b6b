// SPDX-License-Identifier: Apache-2.0
import pg from 'pg';
import { retryContention } from './backoff.ts';
import { withConnection } from './connection.ts';
import type { Client, Pool } from './pool.ts';
import { isSilent } from './unresponsive-connections.ts';
import { ASYNC_COMMIT } from './async-commit.ts';

export interface TransactionOptions {
  /** `read committed` by default */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
  /**
   * COMMIT returns before it is on disk, see `ASYNC_COMMIT`: only for work that another process finds undone and
   * repeats with the same result. False by default.
   */
  readonly asyncCommit?: boolean;
  /** further runs after a deadlock or serialisation failure; 4 by default */
  readonly retries?: number;
}

/**
 * Runs `fn` in one transaction and resolves with its result after COMMIT. An error rolls everything back. `fn` MUST
 * have effects only through its client, because it runs again after a deadlock or a serialisation failure. It MUST NOT
 * swallow an error of a statement: a COMMIT that Postgres turned into a rollback is an error here. Faults:
 * `database.unavailable`, `overloaded`. A connection lost during COMMIT is `database.unavailable` too and leaves the
 * outcome unknown, so callers retry with their own key.
 */
export function inTransaction<T>(
  pool: Pool,
  fn: (client: Client) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  return retryContention(() => runOnce(pool, beginOf(options), fn), options.retries);
}

/**
 * Runs `fn` as `inTransaction` does, with `writ.tenant_id` set for this transaction alone, so that row-level security
 * shows this tenant's rows and no others.
 */
export function inTenant<T>(
  pool: Pool,
  tenantId: string,
  fn: (client: Client) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  // One message with BEGIN: saves a round trip on every transaction.
  const tenant = `SELECT set_config('writ.tenant_id', ${pg.escapeLiteral(tenantId)}, true)`;
  return retryContention(() => runOnce(pool, `${beginOf(options)}; ${tenant}`, fn), options.retries);
}

function beginOf(options: TransactionOptions): string {
  const isolation = (options.isolation ?? 'read committed').toUpperCase();
  return `BEGIN ISOLATION LEVEL ${isolation}${options.readOnly ? ' READ ONLY' : ''}${options.asyncCommit ? `; SELECT ${ASYNC_COMMIT}` : ''}`;
}

function runOnce<T>(pool: Pool, begin: string, fn: (client: Client) => Promise<T>): Promise<T> {
  return withConnection(pool, async (client, close) => {
    try {
      await client.query(begin);
      const result = await fn(client);
      const { command } = await client.query('COMMIT');
      if (command !== 'COMMIT')
        throw new Error('the transaction was rolled back: a failed statement was swallowed inside it');
      return result;
    } catch (error) {
      // A connection whose rollback fails has an unknown state and must not serve another caller. A dead connection
      // would not answer it.
      if (!isSilent(error)) await client.query('ROLLBACK').catch(close);
      throw error;
    }
  });
}
