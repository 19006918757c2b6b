// SPDX-License-Identifier: Apache-2.0
// Each schema equals its folder `sql`. Databases from before 0.1.0, which migrations made, are migrated and equal it
// afterwards.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  addressOf,
  applySchema,
  connect,
  findSchemas,
  LOGIN_ROLES,
  MAINTENANCE_DATABASE,
  OWNER_ROLE,
  provisionRoles,
  readSchemaFiles,
  type LoginRole,
} from '@writ/database';
import { repositoryRoot, testAddress } from './addresses.ts';
import { catalogOf } from './catalog.ts';
import { testDatabase, type TestDatabase } from './postgres.ts';

const server = testAddress('WRIT_TEST_DATABASE_URL');
const database = `writ_test_${randomUUID().replaceAll('-', '')}`;
const url = addressOf(server, database);
/** The same passwords as for all test databases of this server. */
const passwords = Object.fromEntries(LOGIN_ROLES.map((role) => [role, `test-${role}`])) as Record<LoginRole, string>;

/** All migrations from before the schema files, in their order. */
const BEFORE = JSON.parse(
  gunzipSync(readFileSync(join(repositoryRoot(), 'libs/testing/fixtures/migrations-before-0.1.0.json.gz'))).toString(),
) as readonly { readonly schema: string; readonly name: string; readonly sql: string }[];

/** Answers whether migrations made the schema before its files did. A newer schema is made from its files. */
const wasBefore = (schema: string): boolean => BEFORE.some((one) => one.schema === schema);

/** Creates the schema with the migrations from before the schema files. */
async function migrateAsBefore(schema: string): Promise<void> {
  const client = await connect(url, 'writ-test');
  try {
    await client.query(`SET ROLE ${OWNER_ROLE}; SET search_path = ${schema}; CREATE TABLE _prisma_migrations (
      id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL,
      logs TEXT, rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`);
    for (const { name, sql } of BEFORE.filter((one) => one.schema === schema)) {
      await client.query('BEGIN');
      await client.query(sql);
      await client.query(
        `INSERT INTO ${schema}._prisma_migrations (id, checksum, migration_name, finished_at) VALUES ($1, '', $2, now())`,
        [randomUUID(), name],
      );
      await client.query('COMMIT');
    }
  } finally {
    await client.end();
  }
}

const sources = await findSchemas(repositoryRoot());
let fresh: TestDatabase;

beforeAll(async () => {
  fresh = await testDatabase();
  await provisionRoles({ url, passwords });
  for (const { schema } of sources) if (wasBefore(schema)) await migrateAsBefore(schema);
}, 60_000);
afterAll(async () => {
  await fresh.drop();
  const admin = await connect(addressOf(server, MAINTENANCE_DATABASE), 'writ-test');
  await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
  await admin.end();
});

describe.each(sources)('the schema $schema', ({ schema, dir }) => {
  it('of an older database is migrated, and equals its files', async () => {
    const { isNew, migrations, functions } = await applySchema({ url, schema, dir, release: '0.1.0' });
    const pending = wasBefore(schema) ? (await readSchemaFiles(dir)).migrations.map(({ name }) => name) : [];
    expect([isNew, migrations]).toEqual([!wasBefore(schema), pending]);
    expect(functions.length).toBeGreaterThan(4);
    const [taken, wanted] = await Promise.all([catalogOf(url, schema), catalogOf(fresh.ownerUrl, schema)]);
    expect(wanted.length).toBeGreaterThan(20);
    expect(taken.filter((line) => !wanted.includes(line))).toEqual([]);
    expect(wanted.filter((line) => !taken.includes(line))).toEqual([]);
  });

  it('has a file for each function, which begins with a comment', async () => {
    const { foundation, functions } = await readSchemaFiles(dir);
    const files = [...foundation, ...functions];
    const wrong = files.filter(({ name, sql }) => {
      const made = [...sql.matchAll(/^CREATE (?:OR REPLACE )?FUNCTION (\S+?)\(/gm)].map(([, each]) => each);
      return !sql.startsWith('-- ') || made.join() !== `${schema}.${name}`;
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
    const client = await connect(fresh.ownerUrl, 'writ-test');
    const { rows } = await client.query<{ name: string }>(
      'SELECT proname AS name FROM pg_proc WHERE pronamespace = $1::regnamespace',
      [schema],
    );
    await client.end();
    expect(rows.map(({ name }) => name).sort()).toEqual(files.map(({ name }) => name).sort());
  });
});

it('the rows of kernel.transition, which are part of the schema, equal those of the migrations', async () => {
  const [taken, wanted] = await Promise.all(
    [url, fresh.ownerUrl].map(async (each) => {
      const client = await connect(each, 'writ-test');
      const { rows } = await client.query('SELECT * FROM kernel.transition t ORDER BY t::text');
      await client.end();
      return rows;
    }),
  );
  expect(taken).toEqual(wanted);
  expect(wanted?.length).toBeGreaterThan(20);
});
