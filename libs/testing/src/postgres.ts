// SPDX-License-Identifier: Apache-2.0
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  addressOf,
  applySchema,
  connect,
  findSchemas,
  grantDatabase,
  MAINTENANCE_DATABASE,
  provisionRoles,
  LOGIN_ROLES,
  type LoginRole,
  type SchemaSource,
} from '@writ/database';
import { repositoryRoot, testAddress } from './addresses.ts';

export interface TestDatabase {
  /** of the server's administrator on the database: sees every row; to set up, tamper with and inspect data */
  readonly ownerUrl: string;
  /** of a process' own login role */
  readonly urlFor: (role: LoginRole) => string;
  /** ends all connections and removes the database */
  readonly drop: () => Promise<void>;
}

/** An arbitrary number, the same in every test process: one of them makes the template, the others wait. */
const TEMPLATE_LOCK = 727_073_692;

/** Tests apply the schemas for no release. */
const RELEASE = '0.0.0';

/** Roles belong to the whole server, so their passwords are the same for all tests that share it. */
const PASSWORDS = Object.fromEntries(LOGIN_ROLES.map((role) => [role, `test-${role}`])) as Record<LoginRole, string>;

/**
 * Creates a database with roles and schemas, on the server of WRIT_TEST_DATABASE_URL. It is a copy of a template, which
 * is made once for each state of the schemas' files. The server MUST be one for tests: this sets the passwords of
 * Writ's roles on it.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const server = addressOf(testAddress('WRIT_TEST_DATABASE_URL'), MAINTENANCE_DATABASE);
  const sources = await findSchemas(repositoryRoot());
  const template = `writ_template_${(await hashOf(sources)).slice(0, 16)}`;
  const database = `writ_test_${randomUUID().replaceAll('-', '')}`;
  await withAdmin(server, async (admin) => {
    // Held during the copy as well: Postgres can't copy a database that has connections.
    await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate', [
      template,
    ]);
    if (rowCount === 0) await makeTemplate(admin, server, template, sources);
    await admin.query(`CREATE DATABASE ${database} TEMPLATE ${template}`);
    await grantDatabase(admin, database);
  });
  return {
    ownerUrl: addressOf(server, database),
    urlFor: (role) => addressOf(server, database, { role, password: PASSWORDS[role] }),
    drop: () =>
      withAdmin(server, async (admin) => {
        await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      }),
  };
}

type Admin = Awaited<ReturnType<typeof connect>>;

async function withAdmin(server: string, work: (admin: Admin) => Promise<void>): Promise<void> {
  const admin = await connect(server, 'writ-test');
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

async function makeTemplate(
  admin: Admin,
  server: string,
  template: string,
  sources: readonly SchemaSource[],
): Promise<void> {
  // Templates of earlier states of the files, and unfinished ones of a test process that was killed.
  const { rows } = await admin.query<{ datname: string }>(
    `SELECT datname FROM pg_database WHERE datname LIKE 'writ\\_template\\_%'`,
  );
  for (const { datname } of rows)
    await admin
      .query(`ALTER DATABASE ${datname} IS_TEMPLATE false`)
      .then(() => admin.query(`DROP DATABASE ${datname} WITH (FORCE)`));
  const url = addressOf(server, template);
  await provisionRoles({ url, passwords: PASSWORDS });
  for (const source of sources) await applySchema({ url, ...source, release: RELEASE });
  await admin.query(`ALTER DATABASE ${template} IS_TEMPLATE true`);
}

/** A hash over the paths and texts of all files, the grants of provisioning, and the code that applies files. */
async function hashOf(sources: readonly SchemaSource[]): Promise<string> {
  const hash = createHash('sha256');
  const provisioning = join(repositoryRoot(), 'libs', 'database', 'src');
  for (const file of ['provision.ts', 'roles.ts', 'schema/apply-schema.ts', 'schema/apply-functions.ts'])
    hash.update(await readFile(join(provisioning, file)));
  for (const { schema, dir } of sources) {
    for (const path of (await readdir(dir, { recursive: true })).filter((each) => each.endsWith('.sql')).sort()) {
      hash.update(`${schema}/${path}\0`).update(await readFile(join(dir, path)));
    }
  }
  return hash.digest('hex');
}
