// SPDX-License-Identifier: Apache-2.0
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { retryContention } from './backoff.ts';
import type { Pool } from './pool.ts';

/**
 * Runs one statement as a transaction of its own, again after a deadlock or a serialisation failure. Resolves after its COMMIT.
 * Faults: `database.unavailable` (where a write was sent, its outcome is unknown), `overloaded`.
 */
export function runStatement<R extends QueryResultRow>(pool: Pool, query: QueryConfig): Promise<QueryResult<R>> {
  return retryContention(() => pool.query<R>(query));
}
