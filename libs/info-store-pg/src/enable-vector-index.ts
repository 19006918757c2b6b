// SPDX-License-Identifier: Apache-2.0
import { connect, OWNER_ROLE } from '@writ/database';

/** The usual lengths of vectors. A store with others is searched by comparing all of its vectors. */
export const INDEXED_DIMENSIONS = [384, 512, 768, 1024, 1536] as const;

/** The least of a client that this needs. */
export interface SqlClient {
  query<Row>(text: string, values?: unknown[]): Promise<{ readonly rows: Row[] }>;
}

/**
 * Makes an index for vectors of these lengths where the server has the extension pgvector (0.8 or later). The schema
 * MUST be there. It can be repeated. Stores that are registered afterwards use the index.
 *
 * @param url of a superuser, or of the database's owner where the extension is installed or trusted
 * @returns false if the server hasn't the extension: nothing has changed, and searches compare all vectors
 * @throws Error if this user may not create the extension
 */
export async function enableVectorIndex(
  url: string,
  dimensions: readonly number[] = INDEXED_DIMENSIONS,
): Promise<boolean> {
  const client = await connect(url, 'writ-vector-index');
  try {
    return await enableVectorIndexOn(client, dimensions);
  } finally {
    await client.end();
  }
}

/** As `enableVectorIndex`, on an open connection whose session ends afterwards. */
export async function enableVectorIndexOn(client: SqlClient, dimensions: readonly number[]): Promise<boolean> {
  const { rows } = await client.query("SELECT FROM pg_available_extensions WHERE name = 'vector'");
  if (rows.length === 0) return false;
  // A schema of its own, which processes may use: they have no right in `public`.
  await client.query(
    'CREATE SCHEMA IF NOT EXISTS writ_vector; CREATE EXTENSION IF NOT EXISTS vector SCHEMA writ_vector',
  );
  const found = await client.query<{ home: string }>('SELECT quote_ident(info_store.vector_home()) AS home');
  await client.query(`GRANT USAGE ON SCHEMA ${found.rows[0]?.home ?? 'writ_vector'} TO ${OWNER_ROLE}, writ_executor`);
  await client.query(`SET ROLE ${OWNER_ROLE}`);
  await client.query('SELECT info_store.enable_vector_index($1)', [[...dimensions]]);
  await client.query('RESET ROLE');
  return true;
}
