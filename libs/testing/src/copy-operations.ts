// SPDX-License-Identifier: Apache-2.0

/** Runs a statement and returns its rows. */
type Rows = (text: string, values?: unknown[]) => Promise<readonly unknown[]>;

/**
 * Inserts copies of calls into `kernel.operation` directly, without running them. The database recomputes generated
 * columns.
 * @param change SQL of a jsonb with the columns that differ in a copy: `jsonb_build_object('operation_id', 'op_' || n,
 * …)`
 * @param from SQL of the rows to copy, as `o`: `kernel.operation o, generate_series(1, 10) n WHERE o.operation_id = $1`
 */
export async function copyOperations(rows: Rows, change: string, from: string, values: unknown[] = []): Promise<void> {
  const columns = (await rows(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'kernel.operation'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
  )) as readonly { name: string }[];
  const names = columns.map(({ name }) => name).join(', ');
  await rows(
    `INSERT INTO kernel.operation (${names}) SELECT ${names} FROM (SELECT (jsonb_populate_record(o, ${change})).* FROM ${from}) copies`,
    values,
  );
}
