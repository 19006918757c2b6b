// SPDX-License-Identifier: Apache-2.0
// Each schema is read in one place, `sql/` beside its service. What stands there is what the migrations make.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { addressOf, connect, findMigrations, LOGIN_ROLES, MAINTENANCE_DATABASE, provisionRoles, type LoginRole, type MigrationSource } from '@writ/database';
import { repositoryRoot, testAddress } from './addresses.ts';
import { catalogOf } from './catalog.ts';
import { testDatabase, type TestDatabase } from './postgres.ts';
import { makeOfFiles, schemaFiles } from './schema-files.ts';

const server = testAddress('WRIT_TEST_DATABASE_URL');
const database = `writ_test_${randomUUID().replaceAll('-', '')}`;
const url = addressOf(server, database);
/** As for the databases of all tests on this server. */
const passwords = Object.fromEntries(LOGIN_ROLES.map((role) => [role, `test-${role}`])) as Record<LoginRole, string>;

const sources = await findMigrations(repositoryRoot());
const filesOf = ({ dir }: MigrationSource): string => join(dir, '../../sql');
let migrated: TestDatabase;

beforeAll(async () => {
  migrated = await testDatabase();
  await provisionRoles({ url, passwords });
  for (const source of sources) await makeOfFiles(url, source.schema, filesOf(source));
}, 60_000);
afterAll(async () => {
  await migrated.drop();
  const admin = await connect(addressOf(server, MAINTENANCE_DATABASE), 'writ-test');
  await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
  await admin.end();
});

describe.each(sources)('the files of the schema $schema', (source) => {
  it('make what the migrations make', async () => {
    const [made, wanted] = await Promise.all([catalogOf(url, source.schema), catalogOf(migrated.ownerUrl, source.schema)]);
    expect(wanted.length).toBeGreaterThan(20);
    expect(made.filter((line) => !wanted.includes(line))).toEqual([]);
    expect(wanted.filter((line) => !made.includes(line))).toEqual([]);
  });

  it('hold one function each, called after its file, and say first what it does', async () => {
    const functions = (await schemaFiles(filesOf(source))).filter((path) => path.startsWith('functions/'));
    expect(functions.length).toBeGreaterThan(5);
    const wrong: string[] = [];
    for (const path of functions) {
      const sql = await readFile(join(filesOf(source), path), 'utf8');
      const made = [...sql.matchAll(/^CREATE OR REPLACE FUNCTION (\S+?)\(/gm)].map(([, name]) => name);
      if (!sql.startsWith('-- ') || made.join() !== `${source.schema}.${basename(path, '.sql')}`) wrong.push(path);
    }
    expect(wrong).toEqual([]);
  });

  it('give no two functions one name: a changed signature is another function', async () => {
    const names = (await schemaFiles(filesOf(source))).filter((path) => path.startsWith('functions/')).map((path) => basename(path));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

it('the rows of kernel.transition, which are part of the schema, are the same', async () => {
  const [made, wanted] = await Promise.all([url, migrated.ownerUrl].map(async (each) => {
    const client = await connect(each, 'writ-test');
    const { rows } = await client.query('SELECT * FROM kernel.transition t ORDER BY t::text');
    await client.end();
    return rows;
  }));
  expect(made).toEqual(wanted);
  expect(made?.length).toBeGreaterThan(20);
});
