// SPDX-License-Identifier: Apache-2.0
// The database rights of each process's role, and their limits for a compromised process.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { codeOf, connect, LOGIN_ROLES, type LoginRole } from '@writ/database';
import { testDatabase, type TestDatabase } from '@writ/testing';
import { columnsOf, plantRows, type Client } from './filler.ts';
import { COLUMNS } from './role-columns.ts';
import { MAY, VERBS, type Verb } from './role-grants.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const FORBIDDEN = '42501';
/** The SQLSTATE for a value of a generated column: nobody may set one. */
const GENERATED = '428C9';
const [OURS, THEIRS] = ['ten_ours', 'ten_theirs'];

let database: TestDatabase;
let owner: Client;
let tables: string[];
const as = {} as Record<LoginRole, Client>;

beforeAll(async () => {
  database = await testDatabase();
  owner = await connect(database.ownerUrl, 'adversarial-roles');
  const { rows } = await owner.query<{ name: string; shared: boolean }>(`
    SELECT n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' ORDER BY 1`);
  tables = rows.map(({ name }) => name);
  await owner.query('SET session_replication_role = replica');
  // A row that is inserted into the whole table is in one of its partitions.
  for (const table of tables)
    if (hasTenants(table) && !isPartition(table)) await plantRows(owner, table, [OURS, THEIRS]);
  for (const role of LOGIN_ROLES) as[role] = await connect(database.urlFor(role), `adversarial ${role}`);
});

afterAll(async () => {
  for (const client of Object.values(as)) await client.end();
  await owner?.end();
  await database?.drop();
});

const isPartition = (table: string): boolean => /record_index_\d/.test(table);
const hasTenants = (table: string): boolean => !/\.applied_|kernel\.transition/.test(table);

/** The database's answer to one statement: `ok` or the SQLSTATE. It is rolled back. */
async function outcome(client: Client, sql: string, tenant?: string): Promise<string> {
  await client.query('BEGIN');
  try {
    if (tenant !== undefined) await client.query('SELECT set_config($1, $2, true)', ['writ.tenant_id', tenant]);
    await client.query(sql);
    return 'ok';
  } catch (error) {
    return codeOf(error);
  } finally {
    await client.query('ROLLBACK');
  }
}

function statement(verb: Verb, table: string, columns: readonly string[]): string {
  const named = columns.map((column) => `"${column}"`);
  switch (verb) {
    case 'SELECT':
      return `SELECT ${named.join(', ')} FROM ${table} WHERE false`;
    case 'INSERT':
      return `INSERT INTO ${table} (${named.join(', ')}) SELECT ${named.map((column) => `(NULL::${table}).${column}`).join(', ')} WHERE false`;
    case 'UPDATE':
      return `UPDATE ${table} SET ${named.map((column) => `${column} = NULL`).join(', ')} WHERE false`;
    case 'DELETE':
      return `DELETE FROM ${table} WHERE false`;
    case 'TRUNCATE':
      return `TRUNCATE ${table}`;
  }
}

describe.each(LOGIN_ROLES)('%s', (role) => {
  it('has exactly the rights on each table that the oracle lists', async () => {
    const wrong: string[] = [];
    for (const table of tables) {
      const columns = await columnsOf(owner, table);
      const all = columns.map(({ name }) => name);
      const generated = columns.filter(({ isGenerated }) => isGenerated).map(({ name }) => name);
      for (const verb of VERBS) {
        const particular = COLUMNS[`${role} ${verb} ${table}`] ?? [];
        const isWhole = MAY[role][table]?.includes(verb) ?? false;
        for (const column of verb === 'DELETE' || verb === 'TRUNCATE' ? ['*'] : all) {
          const output = await outcome(as[role], statement(verb, table, [column]), OURS);
          const isAllowed =
            (isWhole || particular.includes(column)) && (verb === 'SELECT' || !generated.includes(column));
          if ((output !== FORBIDDEN && output !== GENERATED) !== isAllowed)
            wrong.push(`${verb} ${table}.${column}: ${output}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it("sees no rows without a tenant setting, and only that tenant's rows with it", async () => {
    const crossing = [
      'kernel.tenant',
      'kernel.operation',
      'kernel.approval',
      'kernel.preview',
      'kernel.shell',
      'kernel.outbox',
      'kernel.notice',
      'kernel.freeze',
      'kernel.token',
      'kernel.session_value',
      'kernel.kept_output',
      'kernel.erasure',
      'kernel.image',
      'kernel.mcp_server',
      'kernel.mcp_connection',
      'audio.ingest_device',
    ];
    for (const table of tables.filter(hasTenants)) {
      const mayRead = MAY[role][table]?.includes('SELECT') ?? COLUMNS[`${role} SELECT ${table}`] !== undefined;
      if (!mayRead) continue;
      const seen = async (tenant: string | null): Promise<string[]> => {
        await as[role].query('BEGIN');
        if (tenant !== null) await as[role].query('SELECT set_config($1, $2, true)', ['writ.tenant_id', tenant]);
        const { rows } = await as[role].query<{ tenant_id: string }>(`SELECT tenant_id FROM ${table} ORDER BY 1`);
        await as[role].query('ROLLBACK');
        return rows.map(({ tenant_id }) => tenant_id);
      };
      const everybody = role === 'writ_kernel_worker' && crossing.includes(table);
      const expected = everybody
        ? [
            [OURS, THEIRS],
            [OURS, THEIRS],
            [OURS, THEIRS],
          ]
        : [[], [OURS], []];
      expect({ table, seen: [await seen(null), await seen(OURS), await seen('')] }).toEqual({ table, seen: expected });
    }
  });

  it("can't write a row of another tenant than the setting names", async () => {
    for (const [table, verbs] of Object.entries(MAY[role])) {
      if (!hasTenants(table) || role === 'writ_kernel_worker') continue;
      const columns = (await columnsOf(owner, table))
        .filter(({ isGenerated }) => !isGenerated)
        .map(({ name }) => `"${name}"`)
        .join(', ');
      const theirs = (
        await owner.query<{ row: string }>(
          `SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE tenant_id = '${THEIRS}'`,
        )
      ).rows[0]!.row;
      if (verbs.includes('INSERT')) {
        const sql = `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_record(NULL::${table}, '${theirs.replaceAll("'", "''")}')`;
        expect({ table, said: await outcome(as[role], sql, OURS) }).toEqual({ table, said: FORBIDDEN });
      }
      if (verbs.includes('UPDATE')) {
        expect({
          table,
          said: await outcome(
            as[role],
            `UPDATE ${table} SET tenant_id = '${THEIRS}' WHERE tenant_id = '${OURS}'`,
            OURS,
          ),
        }).toEqual({ table, said: FORBIDDEN });
        const { rowCount } = await as[role].query(
          `UPDATE ${table} SET tenant_id = tenant_id WHERE tenant_id = '${THEIRS}'`,
        );
        expect({ table, rowCount }).toEqual({ table, rowCount: 0 });
      }
      if (verbs.includes('DELETE'))
        expect((await as[role].query(`DELETE FROM ${table} WHERE tenant_id = '${THEIRS}'`)).rowCount).toBe(0);
    }
  });

  it("can't change its role or leave its restrictions", async () => {
    const other = LOGIN_ROLES.find((name) => name !== role)!;
    const name = `evil_${randomUUID().slice(0, 8)}`;
    const attempts = [
      `SET ROLE ${other}`,
      'SET ROLE writ_owner',
      'SET ROLE postgres',
      `SET SESSION AUTHORIZATION ${other}`,
      'SET session_replication_role = replica',
      `ALTER ROLE ${role} BYPASSRLS`,
      `ALTER ROLE ${role} SUPERUSER`,
      `CREATE ROLE ${name}`,
      `CREATE TABLE public.${name} (x int)`,
      `CREATE SCHEMA ${name}`,
      `CREATE TEMP TABLE ${name} (x int)`,
      `CREATE EXTENSION dblink`,
      ...['kernel', 'ledger', 'blobs', 'audio', 'info_store', 'orchestrator'].flatMap((schema) => [
        `CREATE TABLE ${schema}.${name} (x int)`,
        `CREATE FUNCTION ${schema}.${name}() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
      ]),
      ...tables
        .filter(hasTenants)
        .flatMap((table) => [
          `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`,
          `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
          `DROP TABLE ${table}`,
          `CREATE POLICY ${name} ON ${table} USING (true)`,
        ]),
      'SELECT * FROM pg_authid',
      `COPY (SELECT 1) TO PROGRAM 'true'`,
      `SELECT pg_read_file('/etc/hostname')`,
      `SELECT lo_import('/etc/hostname')`,
      `COPY pg_class TO '/tmp/${name}'`,
      'SELECT pg_reload_conf()',
      'ALTER SYSTEM SET fsync = off',
      'CREATE DATABASE evil',
    ];
    const succeeded: string[] = [];
    for (const sql of attempts) if ((await outcome(as[role], sql)) === 'ok') succeeded.push(sql);
    expect(succeeded).toEqual([]);
    // Switching row-level security off makes a query fail rather than show everything.
    for (const table of Object.keys(MAY[role]).filter(hasTenants)) {
      await as[role].query('SET row_security = off');
      expect({ table, said: await outcome(as[role], `SELECT * FROM ${table}`) }).toEqual({ table, said: FORBIDDEN });
      await as[role].query('SET row_security = on');
    }
  });
});

it('no role can change the log while its triggers exist, not even its owner', async () => {
  await owner.query('SET session_replication_role = origin');
  for (const table of [
    'ledger.leaf',
    'ledger.tile',
    'ledger.root',
    'ledger.checkpoint',
    'ledger.cosignature',
    'ledger.record_index',
  ]) {
    for (const sql of [`UPDATE ${table} SET tenant_id = 'x'`, `DELETE FROM ${table}`, `TRUNCATE ${table} CASCADE`]) {
      expect({ sql, said: await outcome(owner, sql) }).toEqual({ sql, said: FORBIDDEN });
    }
  }
});

it('no role can empty a partition of the record index', async () => {
  for (const table of tables.filter(isPartition))
    expect({ table, said: await outcome(owner, `TRUNCATE ${table}`) }).toEqual({ table, said: FORBIDDEN });
});

it('only the ledger may query records past row-level security, for a tenant that it names', async () => {
  const sql = (tenant: string): string =>
    `SELECT * FROM ledger.find_records('${tenant}', 'x of ${tenant}', 9, '{}', true, NULL, NULL, 9)`;
  for (const role of LOGIN_ROLES) {
    const output = [
      await outcome(as[role], sql(OURS), OURS),
      await outcome(as[role], sql(THEIRS), OURS),
      await outcome(as[role], sql(OURS)),
    ];
    expect({ role, said: output }).toEqual({
      role,
      said: role === 'writ_ledger' ? ['ok', FORBIDDEN, FORBIDDEN] : [FORBIDDEN, FORBIDDEN, FORBIDDEN],
    });
  }
});

it('the key lookup without a tenant finds a key by its exact hash only', async () => {
  const { rows } = await as.writ_orchestrator.query(
    `SELECT tenant_id FROM orchestrator.authenticate(sha256('${THEIRS}'::bytea))`,
  );
  expect(rows).toEqual([{ tenant_id: THEIRS }]);
  const leaks = [`sha256('nobody'::bytea)`, `''::bytea`, `NULL::bytea`];
  for (const hash of leaks)
    expect((await as.writ_orchestrator.query(`SELECT * FROM orchestrator.authenticate(${hash})`)).rows).toEqual([]);
  // The setting that the function makes is gone when it returns, and a caller that sets it gains nothing.
  await as.writ_orchestrator.query('BEGIN');
  await as.writ_orchestrator.query(
    `SELECT set_config('writ.key_hash', encode(sha256('${THEIRS}'::bytea), 'hex'), true)`,
  );
  expect((await as.writ_orchestrator.query('SELECT * FROM orchestrator.api_key')).rows).toEqual([]);
  await as.writ_orchestrator.query('ROLLBACK');
});

it('the delivery lookup without a tenant returns ids only, to the delivering process only', async () => {
  const { fields } = await as.writ_orchestrator.query('SELECT * FROM orchestrator.claim_deliveries(10, 8, 60000)');
  expect(fields.map(({ name }) => name)).toEqual(['tenant_id', 'delivery_id', 'claim']);
  for (const role of LOGIN_ROLES.filter((name) => name !== 'writ_orchestrator')) {
    for (const sql of [
      'SELECT * FROM orchestrator.claim_deliveries(10, 8, 60000)',
      'SELECT orchestrator.prune_deliveries(0, 1)',
      'SELECT orchestrator.prune_sign_ins(1)',
      'SELECT * FROM orchestrator.open_offboardings(1)',
      'SELECT * FROM orchestrator.unsettled_votes(1)',
    ])
      expect({ role, said: await outcome(as[role], sql) }).toEqual({ role, said: FORBIDDEN });
  }
});
