// SPDX-License-Identifier: Apache-2.0

/** The part of a pool of connections that is used here. */
interface Connections {
  readonly options: { readonly max: number };
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Long enough that each of the statements runs on its own connection. */
const HELD_SECONDS = 0.05;

/**
 * Rows of a table that statements have fetched so far, by scan or by index, in the whole database. This measures the
 * cost of plans independently of the machine's load.
 *
 * Every connection of the pool is made to flush its counters, which it would otherwise do some seconds later. Other
 * connections must have been idle for that long.
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
