// SPDX-License-Identifier: Apache-2.0
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { faultOf } from './faults.ts';
import { connect } from './pool.ts';
import { OWNER_ROLE, type SchemaName } from './roles.ts';

export interface MigrateOptions {
  /** of a user that is a member of the owner's role, or a superuser */
  readonly url: string;
  readonly schema: SchemaName;
  /** a folder of Prisma's: `<name>/migration.sql`, applied in the order of the names */
  readonly dir: string;
  readonly log?: (line: string) => void;
}

interface Migration { readonly name: string; readonly sql: string; readonly checksum: string }
interface Applied { readonly migration_name: string; readonly checksum: string; readonly finished_at: Date | null }

/** The key of the advisory lock that Prisma's own engine takes, so that the two never run at once. */
const PRISMA_LOCK = 72_707_369;
/** Prisma's own table, column for column, so that `prisma migrate status` reads what this applied. */
const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL,
  logs TEXT, rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

/**
 * Applies the migrations of a schema that it lacks, as its owner, and resolves with their names. Each is one transaction with its row in
 * `_prisma_migrations`, so a process that dies half-way leaves nothing; a migration therefore MUST NOT hold BEGIN, COMMIT or
 * anything that can't run in a transaction. Throws where an applied migration was edited, or where one that Prisma's engine began never ended.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const wanted = await readMigrations(options.dir);
  const client = await connect(options.url, 'writ-migrate').catch((error: unknown) => { throw faultOf(error); });
  try {
    await client.query(`SET ROLE ${OWNER_ROLE}; SET search_path = ${options.schema}; SET lock_timeout = '60s'`);
    await client.query('SELECT pg_advisory_lock($1)', [PRISMA_LOCK]);
    await client.query(TABLE);
    const pending = await pendingOf(client, wanted);
    for (const migration of pending) {
      await apply(client, options.schema, migration);
      options.log?.(`applied ${options.schema}/${migration.name}`);
    }
    return pending.map((migration) => migration.name);
  } catch (error) {
    throw faultOf(error);
  } finally {
    await client.end();
  }
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const folders = (await readdir(dir, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort();
  return await Promise.all(folders.map(async (name) => {
    const sql = await readFile(join(dir, name, 'migration.sql'), 'utf8');
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  }));
}

async function pendingOf(client: Client, wanted: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<Applied>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL');
  const applied = new Map(rows.map((row) => [row.migration_name, row]));
  return wanted.filter((migration) => {
    const row = applied.get(migration.name);
    if (!row) return true;
    if (row.finished_at === null) throw new Error(`migration \`${migration.name}\` was begun and never ended: resolve it with Prisma first`);
    if (row.checksum !== migration.checksum) throw new Error(`migration \`${migration.name}\` was edited after it was applied`);
    return false;
  });
}

async function apply(client: Client, schema: SchemaName, migration: Migration): Promise<void> {
  const id = randomUUID();
  await client.query('BEGIN');
  try {
    await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [id, migration.checksum, migration.name]);
    await client.query(migration.sql);
    await client.query(`UPDATE ${schema}._prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1`, [id]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    // Kept for operators; Prisma counts a rolled-back row as never applied.
    await client.query(
      `INSERT INTO ${schema}._prisma_migrations (id, checksum, migration_name, logs, rolled_back_at) VALUES ($1, $2, $3, $4, now())`,
      [id, migration.checksum, migration.name, String(error)]);
    throw new Error(`migration \`${schema}/${migration.name}\` failed`, { cause: error });
  }
}
