// SPDX-License-Identifier: Apache-2.0
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { retryContention } from './backoff.ts';
import { withConnection } from './connection.ts';
import { isRefusal } from './faults.ts';
import type { Pool } from './pool.ts';

/**
 * Runs one statement in its own transaction, again after a deadlock or a serialisation failure. Resolves after its
 * COMMIT. Faults: `database.unavailable` (the outcome of a write is then unknown), `overloaded`.
 */
export function runStatement<R extends QueryResultRow>(pool: Pool, query: QueryConfig): Promise<QueryResult<R>> {
  // Not the pool's own `query`, which closes the connection after any error. A refused statement is a normal result
  // here, and a new connection plans every statement again.
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
