// SPDX-License-Identifier: Apache-2.0

/** What is needed of a pool of connections. */
interface Connections {
  readonly options: { readonly max: number };
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Long enough for each of the statements to have a connection of its own. */
const HELD_SECONDS = 0.05;

/**
 * Rows of a table that statements have fetched so far, by scan or by index, in the whole database: what their plans
 * cost, whatever the machine does beside. Every connection of the pool is made to tell what it counted, which it would
 * otherwise do some seconds later; others must have been quiet for as long.
 * @param table with its schema: `kernel.operation`
 */
export async function rowsRead(pool: Connections, table: string): Promise<number> {
  await Promise.all(
    Array.from({ length: pool.options.max }, () =>
      pool.query('SELECT pg_stat_force_next_flush(), pg_sleep($1)', [HELD_SECONDS]),
    ),
  );
  const { rows } = await pool.query(
    'SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_user_tables WHERE relid = $1::regclass',
    [table],
  );
  return (rows as { rows: number }[])[0]?.rows ?? Number.NaN;
}
