// SPDX-License-Identifier: Apache-2.0
import type { Client } from 'pg';
import type { SchemaName } from '../roles.ts';

/**
 * The last of the migrations that made a schema before its files did. The files make the same schema. A newer schema
 * was made by its files alone, and is never adopted.
 */
const LAST_MIGRATIONS: Readonly<Partial<Record<SchemaName, string>>> = {
  kernel: '0065_dispatch_beside_others',
  ledger: '0014_edge_hashes',
  orchestrator: '0021_gauges',
  blobs: '0003_reads_by_hash',
};

/** Answers whether migrations before the baseline made a schema, and it is not adopted yet. */
export async function isBeforeBaseline(client: Client, schema: SchemaName): Promise<boolean> {
  const { rows } = await client.query<{ before: boolean }>(
    `SELECT to_regclass($1 || '._prisma_migrations') IS NOT NULL AND to_regclass($1 || '.applied_migration') IS NULL AS before`,
    [schema],
  );
  return rows[0]?.before === true;
}

/**
 * Adopts a schema that migrations before the baseline made. Their table stays, because an earlier release reads it
 * after a rollback.
 * @throws Error if some of them are missing
 */
export async function adopt(client: Client, schema: SchemaName): Promise<void> {
  const { rows } = await client.query<{ done: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NOT NULL AND rolled_back_at IS NULL) AS done',
    [LAST_MIGRATIONS[schema]],
  );
  if (rows[0]?.done !== true)
    throw new Error(
      `the schema \`${schema}\` was made by a development version of before 0.1.0 and lacks its migration \`${LAST_MIGRATIONS[schema]}\`: start from an empty database`,
    );
}
