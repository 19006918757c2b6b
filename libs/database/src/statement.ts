// SPDX-License-Identifier: Apache-2.0
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { retryContention } from './backoff.ts';
import { withConnection } from './connection.ts';
import { isRefusal } from './faults.ts';
import type { Pool } from './pool.ts';

/**
 * Runs one statement as a transaction of its own, again after a deadlock or a serialisation failure. Resolves after its
 * COMMIT. Faults: `database.unavailable` (where a write was sent, its outcome is unknown), `overloaded`.
 */
export function runStatement<R extends QueryResultRow>(pool: Pool, query: QueryConfig): Promise<QueryResult<R>> {
  // Not the pool's own `query`, which closes the connection after any error: a refused statement is an answer here, and
  // a new connection plans every statement anew.
  return retryContention(() =>
    withConnection(pool, async (client, close) => {
      try {
        return await client.query<R>(query);
      } catch (error) {
        if (!isRefusal(error)) close();
        throw error;
      }
    }),
  );
}
