// SPDX-License-Identifier: Apache-2.0
import { faultOf } from './faults.ts';
import { migrate } from './migrate.ts';
import { connect } from './pool.ts';
import { provisionRoles, type Provisioned, type ProvisionOptions } from './provision.ts';
import type { SchemaName } from './roles.ts';
import type { MigrationSource } from './sources.ts';

export interface PrepareOptions extends ProvisionOptions {
  readonly sources: readonly MigrationSource[];
  /** told of each migration that was applied, and where another run has to end first */
  readonly log?: (line: string) => void;
}

/** A schema that lacks a migration: those before it are applied, and a later run goes on from there. */
export class MigrationFailure extends Error {
  readonly schema: SchemaName;

  constructor(schema: SchemaName, cause: unknown) {
    super(`the schema \`${schema}\` cannot be brought up to date: ${sentenceOf(cause)}`, { cause });
    this.name = 'MigrationFailure';
    this.schema = schema;
  }
}

/** Any number, the same for all who prepare this database. */
const LOCK = 727_073_693;
/**
 * Longest wait for another run. A migration that rewrites a large table takes minutes; nobody watches a wait without an
 * end.
 */
const LOCK_WAIT_SECONDS = 1_800;

/**
 * Makes the database, its roles and its schemas, and applies the migrations that they lack. Two runs at once are safe:
 * the second waits for the first. A run that is killed leaves whole migrations only, and the next run goes on after
 * them.
 *
 * @throws MigrationFailure
 * @throws Fault `database.unavailable`
 */
export async function prepareDatabase(options: PrepareOptions): Promise<Provisioned & { readonly applied: number }> {
  const provisioned = await provisionRoles(options);
  const applied = await whileAlone(provisioned.ownerUrl, options.log, () => migrateAll(provisioned.ownerUrl, options));
  return { ...provisioned, applied };
}

async function migrateAll(url: string, { sources, log }: PrepareOptions): Promise<number> {
  let applied = 0;
  for (const { schema, dir } of sources) {
    try {
      applied += (await migrate({ url, schema, dir, log })).length;
    } catch (error) {
      throw new MigrationFailure(schema, error);
    }
  }
  return applied;
}

async function whileAlone<T>(url: string, log: PrepareOptions['log'], work: () => Promise<T>): Promise<T> {
  const client = await connect(url, 'writ-prepare').catch((error: unknown) => {
    throw faultOf(error);
  });
  // It only holds the lock: where it dies the work goes on, and each schema's migrations have a lock of their own.
  client.on('error', () => undefined);
  try {
    const { rows } = await client.query<{ alone: boolean }>('SELECT pg_try_advisory_lock($1) AS alone', [LOCK]);
    if (!rows[0]?.alone) {
      log?.('another run prepares this database: waiting for it to end');
      await client.query(`SET lock_timeout = '${String(LOCK_WAIT_SECONDS)}s'`);
      await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    }
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** An error with its causes: what Postgres said stands below what was being done. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${sentenceOf(error.cause)}`;
}
