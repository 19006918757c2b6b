// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Client } from 'pg';
import { addressOf, MAINTENANCE_DATABASE } from '../address.ts';
import { connect } from '../pool.ts';
import { provisionRoles } from '../provision.ts';
import { LOGIN_ROLES, type LoginRole } from '../roles.ts';
import { applySchema, type AppliedSchema } from './apply-schema.ts';

// The testing library depends on this one, so it is not used here.
const envFile = join(import.meta.dirname, '../../../../.writ/test/env.json');
const server =
  process.env['WRIT_TEST_DATABASE_URL'] ??
  (existsSync(envFile)
    ? (JSON.parse(readFileSync(envFile, 'utf8')) as Record<string, string>)['WRIT_TEST_DATABASE_URL']
    : undefined);
if (!server) throw new Error('`WRIT_TEST_DATABASE_URL` is not set: run `npm run parts`');
const passwords = Object.fromEntries(LOGIN_ROLES.map((role) => [role, `test-${role}`])) as Record<LoginRole, string>;

const FILES = {
  'functions/foundation/now_ms.sql': `-- The time.
CREATE OR REPLACE FUNCTION kernel.now_ms() RETURNS bigint LANGUAGE sql AS 'SELECT 7::bigint';
GRANT EXECUTE ON FUNCTION kernel.now_ms() TO writ_kernel;\n`,
  'tables/01-notes.sql': `-- A note.
CREATE TABLE kernel.note (n bigint PRIMARY KEY, at bigint NOT NULL DEFAULT kernel.now_ms());
GRANT SELECT, INSERT ON kernel.note TO writ_kernel;\n`,
  'functions/notes/put_note.sql': `-- Puts a note.
CREATE OR REPLACE FUNCTION kernel.put_note(p_n bigint) RETURNS bigint LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO note (n) VALUES (p_n);
  RETURN count_notes();
END $$;
GRANT EXECUTE ON FUNCTION kernel.put_note(bigint) TO writ_kernel;\n`,
  'functions/notes/count_notes.sql': `-- How many notes there are.
CREATE OR REPLACE FUNCTION kernel.count_notes() RETURNS bigint LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT count(*) FROM note);
END $$;\n`,
  'functions/notes/keep_note.sql': `-- Refuses that a note is removed.
CREATE OR REPLACE FUNCTION kernel.keep_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'notes stay'; END $$;\n`,
  'triggers.sql': `CREATE TRIGGER note_stays BEFORE DELETE ON kernel.note FOR EACH ROW EXECUTE FUNCTION kernel.keep_note();\n`,
};

let dir: string;
let url: string;
let admin: Client;
const databases: string[] = [];

const write = (path: string, sql: string): void => {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), sql);
};
const edit = (path: keyof typeof FILES, from: string, to: string): void => write(path, FILES[path].replace(from, to));
const apply = (release = '1.0.0', log: string[] = []): Promise<AppliedSchema> =>
  applySchema({ url, schema: 'kernel', dir, release, log: (line) => log.push(line) });
const notes = async (): Promise<unknown> =>
  (await admin.query('SELECT kernel.put_note((SELECT 1 + count(*) FROM kernel.note)) AS notes')).rows[0];
const mayCall = async (role: LoginRole, call: string): Promise<unknown> =>
  (await admin.query<{ may: boolean }>('SELECT has_function_privilege($1, $2, $3) AS may', [role, call, 'EXECUTE']))
    .rows[0]?.may;

beforeEach(async () => {
  databases.push(`writ_test_${randomUUID().replaceAll('-', '')}`);
  url = addressOf(server, databases.at(-1) ?? '');
  await provisionRoles({ url, passwords });
  admin = await connect(url, 'spec');
  dir = mkdtempSync(join(tmpdir(), 'schema-'));
  for (const [path, sql] of Object.entries(FILES)) write(path, sql);
});
afterEach(async () => {
  await admin.end();
  rmSync(dir, { recursive: true });
});
afterAll(async () => {
  const client = await connect(addressOf(server, MAINTENANCE_DATABASE), 'spec');
  for (const database of databases) await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await client.end();
});

describe('an empty schema', () => {
  it('is made from its files: foundation, tables, functions in any order, triggers', async () => {
    const log: string[] = [];
    expect(await apply('1.0.0', log)).toEqual({
      isNew: true,
      migrations: [],
      functions: ['now_ms', 'count_notes', 'keep_note', 'put_note'],
    });
    expect(log).toEqual(['made kernel']);
    expect(await notes()).toEqual({ notes: 1 });
    await expect(admin.query('DELETE FROM kernel.note')).rejects.toThrow('notes stay');
    expect([
      await mayCall('writ_kernel', 'kernel.put_note(bigint)'),
      await mayCall('writ_ledger', 'kernel.put_note(bigint)'),
    ]).toEqual([true, false]);
  });

  it('runs none of the migrations', async () => {
    write('migrations/0001_more.sql', 'SELECT 1 / 0;');
    await apply();
    expect(await apply()).toEqual({ isNew: false, migrations: [], functions: [] });
  });

  it('stays empty if a file fails, and the error names the file', async () => {
    write('tables/02-wrong.sql', 'CREATE TABLE kernel.wrong (n nothing);');
    await expect(apply()).rejects.toThrow('`kernel/tables/02-wrong.sql` failed: type "nothing" does not exist');
    expect(
      (await admin.query(`SELECT relname FROM pg_class WHERE relnamespace = 'kernel'::regnamespace`)).rows,
    ).toEqual([]);
    rmSync(join(dir, 'tables/02-wrong.sql'));
    expect((await apply()).isNew).toBe(true);
  });
});

describe('an existing schema', () => {
  beforeEach(async () => {
    await apply();
  });

  it('stays unchanged if its files did not change', async () => {
    const log: string[] = [];
    expect(await apply('1.0.0', log)).toEqual({ isNew: false, migrations: [], functions: [] });
    expect(log).toEqual([]);
  });

  it('gets its missing migrations once, and the changed functions only', async () => {
    write('migrations/0001_text.sql', `ALTER TABLE kernel.note ADD COLUMN text text NOT NULL DEFAULT '';`);
    edit('functions/notes/count_notes.sql', 'count(*)', `count(text) + 10`);
    expect(await apply('1.1.0')).toEqual({ isNew: false, migrations: ['0001_text'], functions: ['count_notes'] });
    expect(await notes()).toEqual({ notes: 11 });
    expect(await apply('1.1.0')).toEqual({ isNew: false, migrations: [], functions: [] });
    write('migrations/0001_text.sql', `ALTER TABLE kernel.note ADD COLUMN text text;`);
    await expect(apply('1.1.0')).rejects.toThrow('migration `0001_text` was edited after it was applied');
  });

  it('keeps the migrations before a failed one, and nothing of that one', async () => {
    write('migrations/0001_text.sql', 'ALTER TABLE kernel.note ADD COLUMN text text;');
    write('migrations/0002_half.sql', 'CREATE TABLE kernel.half (n int); SELECT 1 / 0;');
    await expect(apply()).rejects.toThrow('`kernel/migrations/0002_half.sql` failed: division by zero');
    expect((await admin.query(`SELECT to_regclass('kernel.half') AS half`)).rows).toEqual([{ half: null }]);
    write('migrations/0002_half.sql', 'CREATE TABLE kernel.half (n int);');
    expect((await apply()).migrations).toEqual(['0002_half']);
  });

  it('has functions restored that another client changed, with their grants', async () => {
    await admin.query('GRANT EXECUTE ON FUNCTION kernel.put_note(bigint) TO writ_ledger');
    await admin.query(
      `CREATE OR REPLACE FUNCTION kernel.count_notes() RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint'`,
    );
    expect((await apply()).functions).toEqual(['count_notes', 'put_note']);
    expect(await mayCall('writ_ledger', 'kernel.put_note(bigint)')).toBe(false);
    expect(await notes()).toEqual({ notes: 1 });
  });

  it('loses a right that a file no longer grants', async () => {
    edit('functions/notes/put_note.sql', 'TO writ_kernel', 'TO writ_ledger');
    expect((await apply()).functions).toEqual(['put_note']);
    expect([
      await mayCall('writ_kernel', 'kernel.put_note(bigint)'),
      await mayCall('writ_ledger', 'kernel.put_note(bigint)'),
    ]).toEqual([false, true]);
  });

  it('keeps the functions of a newer release', async () => {
    edit('functions/notes/count_notes.sql', 'count(*)', 'count(*) + 100');
    await apply('1.1.0-rc.1');
    write('functions/notes/count_notes.sql', FILES['functions/notes/count_notes.sql']);
    expect((await apply('1.0.9')).functions).toEqual([]);
    expect(await notes()).toEqual({ notes: 101 });
    expect((await apply('1.1.0')).functions).toEqual(['count_notes']);
  });

  it.each([
    [
      'parameters',
      '()',
      '(p_from bigint DEFAULT 0)',
      'there are two functions `kernel.count_notes`: a function with another signature takes another name',
    ],
    ['a reply', 'RETURNS bigint', 'RETURNS text', 'cannot change return type'],
  ] as const)(
    'refuses a function with other %s under its name, and keeps the one that was there',
    async (_what, from, to, message) => {
      edit('functions/notes/count_notes.sql', from, to);
      await expect(apply()).rejects.toThrow(message);
      expect(await notes()).toEqual({ notes: 1 });
    },
  );

  it('refuses a file that makes another function than its own', async () => {
    write('functions/notes/sum_notes.sql', FILES['functions/notes/count_notes.sql']);
    await expect(apply()).rejects.toThrow('`functions/notes/sum_notes.sql` made no function `kernel.sum_notes`');
  });

  it('is brought up to date once by several at once', async () => {
    write('migrations/0001_text.sql', 'ALTER TABLE kernel.note ADD COLUMN text text; SELECT pg_sleep(0.3);');
    edit('functions/notes/count_notes.sql', 'count(*)', 'count(text)');
    const done = await Promise.all([apply(), apply(), apply()]);
    expect(done.map(({ migrations }) => migrations).flat()).toEqual(['0001_text']);
    expect(done.map(({ functions }) => functions).flat()).toEqual(['count_notes']);
  });
});

describe('a schema that migrations before the baseline made', () => {
  const before = async (last: string): Promise<void> => {
    await admin.query(`SET ROLE writ_owner; CREATE TABLE kernel._prisma_migrations (migration_name text, finished_at timestamptz, rolled_back_at timestamptz);
      INSERT INTO kernel._prisma_migrations VALUES ('${last}', now());
      CREATE TABLE kernel.note (n bigint PRIMARY KEY, at bigint NOT NULL DEFAULT 0); RESET ROLE`);
  };

  it('is adopted, and its functions are made again from the files', async () => {
    await before('0065_dispatch_beside_others');
    expect(await apply()).toEqual({
      isNew: false,
      migrations: [],
      functions: ['now_ms', 'count_notes', 'keep_note', 'put_note'],
    });
    expect(await notes()).toEqual({ notes: 1 });
    expect(await apply()).toEqual({ isNew: false, migrations: [], functions: [] });
  });

  it('is refused if it lacks the last of them, with advice, and stays unchanged', async () => {
    await before('0064_effect_series');
    await expect(apply()).rejects.toThrow(
      'lacks its migration `0065_dispatch_beside_others`: start from an empty database',
    );
    expect((await admin.query(`SELECT to_regclass('kernel.applied_migration') AS made`)).rows).toEqual([
      { made: null },
    ]);
  });
});

it.each([
  ['a file outside of the applied folders', 'more.sql', 'is in no folder that is applied'],
  ['two functions of one name', 'functions/others/put_note.sql', 'has two functions called `put_note`'],
])('refuses %s', async (_what, path, message) => {
  write(path, FILES['functions/notes/put_note.sql']);
  await expect(apply()).rejects.toThrow(message);
});
