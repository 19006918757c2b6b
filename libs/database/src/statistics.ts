// SPDX-License-Identifier: Apache-2.0
import type { Pool } from './pool.ts';
import type { SchemaName } from './roles.ts';
import { runStatement } from './statement.ts';

/**
 * Tables that one round looks at: more than a schema has. It ends a round that another session's locks would otherwise
 * keep going.
 */
const TABLES_MAX = 100;

/**
 * How often a process asks whether its tables have grown, in milliseconds: how long plans may be those of a table a
 * quarter as large.
 */
export const STATISTICS_MS = 2_000;

/** The schemas whose processes look after their own tables. */
export type AnalysedSchema = Exclude<SchemaName, 'blobs'>;

/**
 * Gathers the statistics of every table of a schema that is four times as large as when they were gathered, by its
 * function `refresh_statistics` (its migrations say why the server's own rounds come too late). Each table is a
 * transaction of its own. Resolves with how many were looked at. Fault `database.unavailable`.
 */
export async function refreshStatistics(pool: Pool, schema: AnalysedSchema): Promise<number> {
  for (let tables = 0; tables < TABLES_MAX; tables++) {
    const {
      rows: [row],
    } = await runStatement<{ refreshed: boolean }>(pool, {
      text: `SELECT ${schema}.refresh_statistics() AS refreshed`,
    });
    if (row?.refreshed !== true) return tables;
  }
  return TABLES_MAX;
}
