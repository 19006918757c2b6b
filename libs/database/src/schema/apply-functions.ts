// SPDX-License-Identifier: Apache-2.0
import semver from 'semver';
import type { Client } from 'pg';
import { LOGIN_ROLES, type SchemaName } from '../roles.ts';
import type { SqlFile } from './schema-files.ts';

/** The table of applied functions. Only the owner may use it. */
export const APPLIED_FUNCTIONS = `CREATE TABLE IF NOT EXISTS applied_function (
  name text PRIMARY KEY,
  -- SHA-256 of the file that was applied
  checksum text NOT NULL,
  -- of definition, owner and grants as they were afterwards: another one now was changed by somebody else
  state text NOT NULL,
  -- the release that applied it: an older one leaves it alone
  release text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now())`;

interface Applied {
  readonly name: string;
  readonly checksum: string;
  readonly state: string;
  readonly release: string;
}

/** A digest of a function's current definition, owner and grants. */
const STATE = `md5(pg_get_functiondef(p.oid) || p.proowner::text || coalesce(
  (SELECT string_agg(g::text, ',' ORDER BY g::text) FROM unnest(p.proacl) g), '-'))`;

interface CurrentFunction {
  readonly name: string;
  readonly signature: string;
  readonly state: string;
}

/**
 * Applies the functions whose files changed since, and those that another client changed since, in the open
 * transaction. A function of a newer release stays unchanged, since `helm rollback` runs this as the older one.
 *
 * @returns the names of the applied functions
 * @throws Error if a file makes another function than its own, or a second one of its name
 */
export async function applyFunctions(
  client: Client,
  schema: SchemaName,
  files: readonly SqlFile[],
  release: string,
): Promise<string[]> {
  const applied = new Map(
    (await client.query<Applied>('SELECT name, checksum, state, release FROM applied_function')).rows.map((row) => [
      row.name,
      row,
    ]),
  );
  const current = new Map((await functionsOf(client, schema)).map((one) => [one.name, one]));
  const changed = files.filter(({ name, checksum }) => {
    const row = applied.get(name);
    if (row === undefined) return true;
    if (semver.gt(row.release, release)) return false;
    return row.checksum !== checksum || current.get(name)?.state !== row.state;
  });
  for (const file of changed) await applyOne(client, schema, file, current.get(file.name));
  if (changed.length === 0) return [];
  const now = new Map((await functionsOf(client, schema)).map((one) => [one.name, one]));
  for (const { name, path, checksum } of changed) {
    const state = now.get(name)?.state;
    if (state === undefined) throw new Error(`\`${path}\` made no function \`${schema}.${name}\``);
    await client.query(
      `INSERT INTO applied_function AS f (name, checksum, state, release) VALUES ($1, $2, $3, $4)
       ON CONFLICT (name) DO UPDATE SET checksum = $2, state = $3, release = $4, applied_at = now()`,
      [name, checksum, state, release],
    );
  }
  return changed.map(({ name }) => name);
}

async function applyOne(
  client: Client,
  schema: SchemaName,
  { path, sql }: SqlFile,
  before: CurrentFunction | undefined,
): Promise<void> {
  // The file declares who may call it, so the rights of an earlier file are revoked.
  if (before !== undefined)
    await client.query(`REVOKE ALL ON FUNCTION ${before.signature} FROM PUBLIC, ${LOGIN_ROLES.join(', ')}`);
  try {
    await client.query(sql);
  } catch (cause) {
    throw new Error(
      `\`${schema}/${path}\` could not be applied: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}

/** @throws Error if two functions have the same name: the file of one changed its signature, and needs a new name */
async function functionsOf(client: Client, schema: SchemaName): Promise<CurrentFunction[]> {
  const { rows } = await client.query<CurrentFunction>(
    `SELECT p.proname AS name, p.oid::regprocedure::text AS signature, ${STATE} AS state
     FROM pg_proc p WHERE p.pronamespace = $1::regnamespace AND p.prokind = 'f' ORDER BY p.proname, p.oid`,
    [schema],
  );
  const duplicate = rows.find(({ name }, index) => rows[index - 1]?.name === name);
  if (duplicate !== undefined)
    throw new Error(
      `there are two functions \`${schema}.${duplicate.name}\`: a function with another signature takes another name, and a migration drops the old one`,
    );
  return rows;
}
