// SPDX-License-Identifier: Apache-2.0
import { faultOf } from './faults.ts';
import { connect } from './pool.ts';
import { provisionRoles, type Provisioned, type ProvisionOptions } from './provision.ts';
import type { SchemaName } from './roles.ts';
import { applySchema } from './schema/apply-schema.ts';
import type { SchemaSource } from './schema-sources.ts';

export interface PrepareOptions extends ProvisionOptions {
  readonly sources: readonly SchemaSource[];
  /** the running release, as in Semantic Versioning 2; functions of a newer one stay unchanged */
  readonly release: string;
  /** receives a line for each schema made, each change applied, and each wait for another run */
  readonly log?: (line: string) => void;
}

/**
 * A schema could not be made or brought up to date. The changes before the failure stay, and a later run continues from
 * there.
 */
export class MigrationFailure extends Error {
  readonly schema: SchemaName;

  constructor(schema: SchemaName, cause: unknown) {
    super(`the schema \`${schema}\` cannot be brought up to date: ${messageWithCauses(cause)}`, { cause });
    this.name = 'MigrationFailure';
    this.schema = schema;
  }
}

/** Any number, the same for all that prepare this database. */
const LOCK = 727_073_693;
/** Timeout of the wait for another run. A migration that rewrites a large table takes minutes. */
const LOCK_WAIT_SECONDS = 1_800;

/** The changes to all schemas. */
export interface Prepared extends Provisioned {
  /** schemas that were made from their files */
  readonly made: number;
  readonly migrations: number;
  readonly functions: number;
}

/**
 * Makes the database and its roles, and brings its schemas up to date with their files. Two concurrent runs are safe:
 * the second waits for the first. A killed run leaves complete transactions only, and the next run continues after
 * them.
 *
 * @throws MigrationFailure
 * @throws Fault `database.unavailable`
 */
export async function prepareDatabase(options: PrepareOptions): Promise<Prepared> {
  const provisioned = await provisionRoles(options);
  const applied = await withExclusiveLock(provisioned.ownerUrl, options.log, () =>
    applyAll(provisioned.ownerUrl, options),
  );
  return { ...provisioned, ...applied };
}

async function applyAll(
  url: string,
  { sources, release, log }: PrepareOptions,
): Promise<Omit<Prepared, keyof Provisioned>> {
  const done = { made: 0, migrations: 0, functions: 0 };
  for (const { schema, dir } of sources) {
    try {
      const { isNew, migrations, functions } = await applySchema({ url, schema, dir, release, log });
      done.made += Number(isNew);
      done.migrations += migrations.length;
      done.functions += isNew ? 0 : functions.length;
    } catch (error) {
      throw new MigrationFailure(schema, error);
    }
  }
  return done;
}

async function withExclusiveLock<T>(url: string, log: PrepareOptions['log'], work: () => Promise<T>): Promise<T> {
  const client = await connect(url, 'writ-prepare').catch((error: unknown) => {
    throw faultOf(error);
  });
  // It only holds the lock. If it dies the work goes on, since each schema's migrations have their own lock.
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

/** The message of an error and of its causes: Postgres' message follows the failed step. */
function messageWithCauses(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause === undefined) return error.message;
  const cause = messageWithCauses(error.cause);
  return error.message.endsWith(cause) ? error.message : `${error.message}: ${cause}`;
}
