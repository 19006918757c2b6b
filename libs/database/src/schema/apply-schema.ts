// SPDX-License-Identifier: Apache-2.0
import type { Client } from 'pg';
import { faultOf } from '../faults.ts';
import { connect } from '../pool.ts';
import { OWNER_ROLE, type SchemaName } from '../roles.ts';
import { adopt, isBeforeBaseline } from './adopt.ts';
import { APPLIED_FUNCTIONS, applyFunctions } from './apply-functions.ts';
import { readSchemaFiles, type SchemaFiles, type SqlFile } from './schema-files.ts';

export interface ApplyOptions {
  /** of a user that is a member of the owner's role, or a superuser */
  readonly url: string;
  readonly schema: SchemaName;
  /** the schema's folder, see `SchemaFiles` */
  readonly dir: string;
  /** the running release, as in Semantic Versioning 2 */
  readonly release: string;
  readonly log?: (line: string) => void;
}

/** The result: the schema was made from its files, or these migrations and functions were applied. */
export interface AppliedSchema {
  readonly isNew: boolean;
  readonly migrations: readonly string[];
  readonly functions: readonly string[];
}

/** The key of the advisory lock that Prisma's own engine uses, so that the two never run at once. */
const LOCK = 72_707_369;

const APPLIED_MIGRATIONS = `CREATE TABLE IF NOT EXISTS applied_migration (
  name text PRIMARY KEY,
  -- SHA-256 of the file
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now())`;

/**
 * Brings a schema up to date with its files, as its owner. An empty schema is made from them in one transaction.
 * Otherwise each missing migration runs in its own transaction, and then all changed functions in one. A process that
 * dies leaves complete transactions, and the next run continues. Files MUST NOT hold BEGIN, COMMIT or statements that
 * can't run in a transaction.
 *
 * @throws Error if an applied migration was edited, a function changed its signature, or a development version made the
 * database that this one can't continue from
 */
export async function applySchema(options: ApplyOptions): Promise<AppliedSchema> {
  const files = await readSchemaFiles(options.dir);
  const client = await connect(options.url, 'writ-migrate').catch((error: unknown) => {
    throw faultOf(error);
  });
  try {
    // Functions refer to later ones and to columns of tables: their bodies are checked when they are called.
    await client.query(
      `SET ROLE ${OWNER_ROLE}; SET search_path = ${options.schema}; SET lock_timeout = '60s'; SET check_function_bodies = off`,
    );
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    return (await isEmpty(client, options.schema))
      ? await makeSchema(client, files, options)
      : await updateSchema(client, files, options);
  } catch (error) {
    throw faultOf(error);
  } finally {
    await client.end();
  }
}

async function isEmpty(client: Client, schema: SchemaName): Promise<boolean> {
  const { rows } = await client.query<{ tables: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = $1::regnamespace) AS tables',
    [schema],
  );
  return rows[0]?.tables === false;
}

async function makeSchema(
  client: Client,
  files: SchemaFiles,
  { schema, release, log }: ApplyOptions,
): Promise<AppliedSchema> {
  const functions = await withTransaction(client, async () => {
    await client.query(`${APPLIED_MIGRATIONS}; ${APPLIED_FUNCTIONS}`);
    const first = await applyFunctions(client, schema, files.foundation, release);
    for (const file of files.tables) await run(client, schema, file);
    const others = await applyFunctions(client, schema, files.functions, release);
    for (const file of files.triggers) await run(client, schema, file);
    for (const file of files.migrations) await recordMigration(client, file);
    return [...first, ...others];
  });
  log?.(`made ${schema}`);
  return { isNew: true, migrations: [], functions };
}

async function updateSchema(
  client: Client,
  files: SchemaFiles,
  { schema, release, log }: ApplyOptions,
): Promise<AppliedSchema> {
  if (await isBeforeBaseline(client, schema)) {
    await withTransaction(client, async () => {
      await adopt(client, schema);
      await client.query(`${APPLIED_MIGRATIONS}; ${APPLIED_FUNCTIONS}`);
    });
  }
  const pending = await pendingOf(client, files.migrations);
  for (const file of pending) {
    await withTransaction(client, async () => {
      await run(client, schema, file);
      await recordMigration(client, file);
    });
    log?.(`applied ${schema}/${file.name}`);
  }
  const functions = await withTransaction(client, () =>
    applyFunctions(client, schema, [...files.foundation, ...files.functions], release),
  );
  if (functions.length > 0) log?.(`applied ${functions.length} functions of ${schema}`);
  return { isNew: false, migrations: pending.map(({ name }) => name), functions };
}

async function pendingOf(client: Client, migrations: readonly SqlFile[]): Promise<readonly SqlFile[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM applied_migration',
  );
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const edited = migrations.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum);
  if (edited !== undefined) throw new Error(`migration \`${edited.name}\` was edited after it was applied`);
  return migrations.filter(({ name }) => !applied.has(name));
}

async function recordMigration(client: Client, { name, checksum }: SqlFile): Promise<void> {
  await client.query('INSERT INTO applied_migration (name, checksum) VALUES ($1, $2)', [name, checksum]);
}

async function run(client: Client, schema: SchemaName, { path, sql }: SqlFile): Promise<void> {
  try {
    await client.query(sql);
  } catch (cause) {
    throw new Error(`\`${schema}/${path}\` failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

async function withTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const done = await work();
    await client.query('COMMIT');
    return done;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
