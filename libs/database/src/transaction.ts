// SPDX-License-Identifier: Apache-2.0
import pg from 'pg';
import { retryContention } from './backoff.ts';
import { withConnection } from './connection.ts';
import type { Client, Pool } from './pool.ts';
import { isSilent } from './silence.ts';
import { UNAWAITED } from './unawaited.ts';

export interface TransactionOptions {
  /** `read committed` unless said */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
  /**
   * Its COMMIT answers before the disk has it, see `UNAWAITED`: only for what whoever finds it undone does again, to
   * the same end. False unless said.
   */
  readonly unawaited?: boolean;
  /** further runs after a deadlock or serialisation failure; 4 unless said */
  readonly retries?: number;
}

/**
 * Runs `fn` in one transaction and resolves with its result after COMMIT. A throw rolls everything back. `fn` MUST have
 * no effect but through the client it is given: it runs again after a deadlock or a serialisation failure. It MUST NOT
 * swallow an error of a statement: a COMMIT that Postgres turned into a rollback is an error here. Faults:
 * `database.unavailable`, `overloaded`. A connection lost during COMMIT is `database.unavailable` too and leaves the
 * outcome unknown: callers ask again by their own key.
 */
export function inTransaction<T>(
  pool: Pool,
  fn: (client: Client) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  return retryContention(() => once(pool, opening(options), fn), options.retries);
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
  return retryContention(() => once(pool, `${opening(options)}; ${tenant}`, fn), options.retries);
}

function opening(options: TransactionOptions): string {
  const isolation = (options.isolation ?? 'read committed').toUpperCase();
  return `BEGIN ISOLATION LEVEL ${isolation}${options.readOnly ? ' READ ONLY' : ''}${options.unawaited ? `; SELECT ${UNAWAITED}` : ''}`;
}

function once<T>(pool: Pool, begin: string, fn: (client: Client) => Promise<T>): Promise<T> {
  return withConnection(pool, async (client, close) => {
    try {
      await client.query(begin);
      const result = await fn(client);
      const { command } = await client.query('COMMIT');
      if (command !== 'COMMIT')
        throw new Error('the transaction was rolled back: a failed statement was swallowed inside it');
      return result;
    } catch (error) {
      // A connection whose rollback fails has an unknown state and must not serve another caller; on a silent one it
      // would be waited for in vain.
      if (!isSilent(error)) await client.query('ROLLBACK').catch(close);
      throw error;
    }
  });
}
