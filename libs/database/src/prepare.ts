// SPDX-License-Identifier: Apache-2.0
import { faultOf } from './faults.ts';
import { connect } from './pool.ts';
import { provisionRoles, type Provisioned, type ProvisionOptions } from './provision.ts';
import type { SchemaName } from './roles.ts';
import { applySchema } from './schema/apply-schema.ts';
import type { SchemaSource } from './sources.ts';

export interface PrepareOptions extends ProvisionOptions {
  readonly sources: readonly SchemaSource[];
  /** of the one who prepares it, as Semantic Versioning 2 has it: functions of a newer one are left alone */
  readonly release: string;
  /** told of each schema that was made, of what was applied, and where another run has to end first */
  readonly log?: (line: string) => void;
}

/**
 * A schema that could not be made or brought up to date: what was applied before stays, and a later run goes on from
 * there.
 */
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

/** What was done to all schemas together. */
export interface Prepared extends Provisioned {
  /** schemas that were made of their files */
  readonly made: number;
  readonly migrations: number;
  readonly functions: number;
}

/**
 * Makes the database and its roles, and brings its schemas to what their files say. Two runs at once are safe: the
 * second waits for the first. A run that is killed leaves whole transactions only, and the next run goes on after them.
 *
 * @throws MigrationFailure
 * @throws Fault `database.unavailable`
 */
export async function prepareDatabase(options: PrepareOptions): Promise<Prepared> {
  const provisioned = await provisionRoles(options);
  const applied = await whileAlone(provisioned.ownerUrl, options.log, () => applyAll(provisioned.ownerUrl, options));
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
  if (error.cause === undefined) return error.message;
  const cause = sentenceOf(error.cause);
  return error.message.endsWith(cause) ? error.message : `${error.message}: ${cause}`;
}
