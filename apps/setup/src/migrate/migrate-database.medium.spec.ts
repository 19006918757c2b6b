// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf, connect, findSchemas, LOGIN_ROLES, MAINTENANCE_DATABASE } from '@writ/database';
import { repositoryRoot, testAddress } from '@writ/testing';
import { natsServerConfig } from '@writ/bus-nats';
import { runSetup } from '../program.ts';

/** All specs that share the server set these: those that make databases set them again. */
const PASSWORDS = Object.fromEntries(LOGIN_ROLES.map((role) => [role, `test-${role}`]));
const MAIN = join(import.meta.dirname, '..', 'main.ts');

const server = testAddress('WRIT_TEST_DATABASE_URL');
let dir: string;
let schemas: string;
let url: string;
const databases: string[] = [];

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-migrate-'));
  mkdirSync(join(dir, 'passwords'));
  for (const [role, password] of Object.entries(PASSWORDS))
    writeFileSync(join(dir, 'passwords', role), `${password}\n`);
});
beforeEach(async () => {
  schemas = mkdtempSync(join(dir, 'schemas-'));
  for (const { schema, dir: from } of await findSchemas(repositoryRoot()))
    cpSync(from, join(schemas, schema), { recursive: true });
  databases.push(`writ_test_${randomUUID().replaceAll('-', '')}`);
  url = addressOf(server, databases.at(-1) ?? '');
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await withClient(addressOf(server, MAINTENANCE_DATABASE), async (query) => {
    for (const database of databases) await query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  });
});

async function withClient<T>(
  address: string,
  use: (query: (sql: string) => Promise<readonly Record<string, unknown>[]>) => Promise<T>,
): Promise<T> {
  const client = await connect(address, 'spec');
  try {
    return await use(async (sql) => (await client.query(sql)).rows as Record<string, unknown>[]);
  } finally {
    await client.end();
  }
}

const environmentOf = (more: Record<string, string> = {}): Record<string, string> => ({
  WRIT_ADMIN_DATABASE_URL: url,
  WRIT_ROLE_PASSWORDS_DIR: join(dir, 'passwords'),
  WRIT_START_WAIT_MS: '0',
  ...more,
});

async function migrate(more: Record<string, string> = {}): Promise<{ status: number; out: string[]; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const status = await runSetup(['migrate', '--schemas', schemas], {
    env: environmentOf(more),
    print: (line) => out.push(line),
    printError: (line) => err.push(line),
    renderNatsConfig: natsServerConfig,
  });
  return { status, out, err: err.join('\n') };
}

const write = (name: string, sql: string): void => {
  mkdirSync(join(schemas, 'kernel', 'migrations'), { recursive: true });
  writeFileSync(join(schemas, 'kernel', 'migrations', `${name}.sql`), sql);
};

it('makes the database for every service, once', async () => {
  const { status, out } = await migrate();
  expect([status, out.at(-1)]).toEqual([
    0,
    expect.stringMatching(
      /^setup migrate: the database `writ_test_\w+` is up to date: schemas made: 6, migrations applied: 0, functions applied: 0$/,
    ),
  ]);
  expect((await migrate()).out).toEqual([
    expect.stringMatching(/is up to date: schemas made: 0, migrations applied: 0, functions applied: 0$/),
  ]);
  for (const role of LOGIN_ROLES) {
    const own = addressOf(url, databases.at(-1) ?? '', { role, password: PASSWORDS[role] ?? '' });
    expect(await withClient(own, (query) => query('SELECT current_user AS me'))).toEqual([{ me: role }]);
  }
});

it('concurrent runs apply each migration once', async () => {
  await migrate();
  // Longer than another run takes to reach its migrations on a busy machine.
  write('9999_slow', 'SELECT pg_sleep(3)');
  const runs = await Promise.all([migrate(), migrate(), migrate()]);
  expect(runs.map(({ status, err }) => [status, err])).toEqual(runs.map(() => [0, '']));
  const applied = runs.flatMap(({ out }) => out.filter((line) => line.startsWith('applied ')));
  expect(new Set(applied).size).toBe(applied.length);
  expect(applied).toEqual(['applied kernel/9999_slow']);
  expect(runs.some(({ out }) => out.includes('another run prepares this database: waiting for it to end'))).toBe(true);
});

it('a killed run is completed by the next one', async () => {
  await migrate();
  write('0001_first', 'CREATE TABLE kernel.first (n int)');
  write('9999_slow', 'CREATE TABLE kernel.slow (n int); SELECT pg_sleep(2); INSERT INTO kernel.slow VALUES (1);');
  const child = spawn(
    process.execPath,
    ['--conditions=@writ/source', '--disable-warning=ExperimentalWarning', MAIN, 'migrate', '--schemas', schemas],
    { env: { ...environmentOf(), PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  // Now the run is in the next migration.
  for await (const chunk of child.stdout) if (String(chunk).includes('applied kernel/0001_first')) break;
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const { status, out } = await migrate();
  expect([status, out.at(-1)]).toEqual([0, expect.stringContaining('is up to date')]);
  expect(await withClient(url, (query) => query('SELECT n FROM kernel.slow'))).toEqual([{ n: 1 }]);
});

it('a failed migration is named with the error of Postgres, and keeps the others', async () => {
  await migrate();
  write('9999_wrong', 'SELECT 1 / 0');
  const { status, err } = await migrate();
  expect([status, err]).toEqual([
    1,
    expect.stringMatching(
      /^setup migrate failed: .* `kernel\/migrations\/9999_wrong\.sql` failed: division by zero\. Nothing of that/,
    ),
  ]);
  rmSync(join(schemas, 'kernel', 'migrations', '9999_wrong.sql'));
  expect((await migrate()).status).toBe(0);
});

it.each<[string, Record<string, string>, string]>([
  [
    'no server listens',
    { WRIT_ADMIN_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/writ' },
    'Postgres does not serve at `127.0.0.1:1`, which `WRIT_ADMIN_DATABASE_URL` names, after 0 ms',
  ],
  [
    'the password is wrong',
    { WRIT_ADMIN_DATABASE_URL: server.replace(/:[^:@]+@/, ':not-the-password@') },
    'refuses the user of `WRIT_ADMIN_DATABASE_URL`',
  ],
  [
    'the user may not make roles',
    { WRIT_ADMIN_DATABASE_URL: addressOf(server, 'postgres', { role: 'writ_ledger', password: 'test-writ_ledger' }) },
    'the user is no member of `writ_owner`',
  ],
  [
    "the password's file is missing",
    { WRIT_ADMIN_DATABASE_PASSWORD_FILE: '/nowhere/password' },
    "the file `/nowhere/password` of `WRIT_ADMIN_DATABASE_PASSWORD_FILE` can't be read",
  ],
])('the failure names what to change when %s', async (_when, more, message) => {
  await migrate();
  const { status, err } = await migrate(more);
  expect([status, err]).toEqual([1, expect.stringContaining(message)]);
  expect(err).not.toContain('test-writ_ledger');
});

it("takes the administrator's password from a file", async () => {
  const address = new URL(url);
  writeFileSync(join(dir, 'admin'), `${decodeURIComponent(address.password)}\n`);
  address.password = '';
  expect(
    (await migrate({ WRIT_ADMIN_DATABASE_URL: address.href, WRIT_ADMIN_DATABASE_PASSWORD_FILE: join(dir, 'admin') }))
      .status,
  ).toBe(0);
});

it('a folder that lacks a schema fails', async () => {
  rmSync(join(schemas, 'ledger'), { recursive: true });
  const { status, err } = await migrate();
  expect([status, err]).toEqual([1, expect.stringContaining('has no SQL of `ledger`): `--schemas` names its folder')]);
});
