// SPDX-License-Identifier: Apache-2.0
import type { Pool } from './pool.ts';
import type { SchemaName } from './roles.ts';
import { runStatement } from './statement.ts';

/** Tables per round: more than a schema has. It ends a round that another session's locks would prolong. */
const TABLES_MAX = 100;

/**
 * How often a process checks whether its tables have grown, in milliseconds. For this long, plans may be based on a
 * quarter of a table's size.
 */
export const STATISTICS_MS = 2_000;

/** The schemas whose processes analyse their own tables. */
export type AnalysedSchema = Exclude<SchemaName, 'audio' | 'blobs' | 'info_store'>;

/**
 * Analyses every table of a schema that has grown fourfold since its last statistics, by its function
 * `refresh_statistics` (its file explains why autovacuum comes too late). Each table is its own transaction. Resolves
 * with the number of analysed tables. Fault `database.unavailable`.
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
