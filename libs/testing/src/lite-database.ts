// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import {
  createPool,
  LOGIN_ROLES,
  OWNER_ROLE,
  readSchemaFiles,
  SCHEMA_USERS,
  type Pool,
  type SchemaName,
} from '@writ/database';
import { repositoryRoot } from './addresses.ts';
import { freePort } from './free-port.ts';

/** A connection of an administrator. Texts without values may hold several statements. */
export interface LiteClient {
  query<Row>(text: string, values?: unknown[]): Promise<{ readonly rows: Row[] }>;
}

export interface LiteDatabase {
  /** of one connection, by a role that is every user of the schema at once */
  readonly pool: Pool;
  readonly close: () => Promise<void>;
}

/**
 * PostgreSQL as WebAssembly with pgvector, and one schema from its files. For what the server for tests lacks: it has
 * one session, so it tests statements, and neither rights nor concurrency. It starts in ten seconds.
 *
 * @param dir the folder `sql` of the schema, below the repository
 * @param prepare runs as the administrator, after the schema is made
 */
export async function liteDatabase(
  schema: SchemaName,
  dir: string,
  prepare: (client: LiteClient) => Promise<void>,
): Promise<LiteDatabase> {
  const { PGlite } = await import('@electric-sql/pglite');
  const { vector } = await import('@electric-sql/pglite-pgvector');
  const { PGLiteSocketServer } = await import('@electric-sql/pglite-socket');
  const lite = await PGlite.create({ extensions: { vector } });
  const users = SCHEMA_USERS[schema].join(', ');
  await lite.exec(`CREATE ROLE ${OWNER_ROLE}; ${LOGIN_ROLES.map((role) => `CREATE ROLE ${role}`).join('; ')};
    CREATE ROLE every_user; GRANT ${users} TO every_user;
    CREATE SCHEMA ${schema} AUTHORIZATION ${OWNER_ROLE}; GRANT USAGE ON SCHEMA ${schema} TO ${users};
    SET ROLE ${OWNER_ROLE}; SET search_path = ${schema}; SET check_function_bodies = off`);
  const { foundation, tables, functions, triggers } = await readSchemaFiles(join(repositoryRoot(), dir));
  for (const { sql } of [...foundation, ...tables, ...functions, ...triggers]) await lite.exec(sql);
  await lite.exec('RESET ROLE; RESET search_path');
  await prepare({
    query: async <Row>(text: string, values?: unknown[]) =>
      values === undefined
        ? { rows: ((await lite.exec(text)).at(-1)?.rows ?? []) as Row[] }
        : await lite.query<Row>(text, values),
  });
  await lite.exec('SET ROLE every_user');
  const port = await freePort();
  const server = new PGLiteSocketServer({ db: lite, port, host: '127.0.0.1' });
  await server.start();
  const pool = createPool({
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    applicationName: 'spec',
    max: 1,
    // Building an index takes minutes on a busy machine.
    statementTimeoutMs: 600_000,
  });
  return {
    pool,
    close: async () => {
      await pool.end();
      await server.stop();
      await lite.close();
    },
  };
}
