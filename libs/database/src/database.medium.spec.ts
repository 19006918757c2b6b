// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf, MAINTENANCE_DATABASE } from './address.ts';
import { byteaArray, int2Array, int4Array, int8Array, textArray } from './binary-array.ts';
import { verifyDurability } from './durability.ts';
import { connect, createPool, type Pool } from './pool.ts';
import { provisionRoles, type Provisioned } from './provision.ts';
import { LOGIN_ROLES, type LoginRole } from './roles.ts';
import { applySchema } from './schema/apply-schema.ts';
import { runStatement } from './statement.ts';
import { inTenant, inTransaction } from './transaction.ts';

// The testing library depends on this one, so it is not used here.
const envFile = join(import.meta.dirname, '../../../.writ/test/env.json');
const server =
  process.env['WRIT_TEST_DATABASE_URL'] ??
  (existsSync(envFile)
    ? (JSON.parse(readFileSync(envFile, 'utf8')) as Record<string, string>)['WRIT_TEST_DATABASE_URL']
    : undefined);
if (!server) throw new Error('`WRIT_TEST_DATABASE_URL` is not set: run `npm run parts`');

const passwords = Object.fromEntries(LOGIN_ROLES.map((role) => [role, `test-${role}`])) as Record<LoginRole, string>;
const database = `writ_test_${randomUUID().replaceAll('-', '')}`;
const url = addressOf(server, database);

const NOTES = `CREATE TABLE kernel.note (tenant_id text NOT NULL, n bigint NOT NULL, PRIMARY KEY (tenant_id, n));
ALTER TABLE kernel.note ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.note FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON kernel.note USING (tenant_id = current_setting('writ.tenant_id', true));
GRANT SELECT, INSERT, UPDATE ON kernel.note TO writ_kernel;
`;

let provisioned: Provisioned;
let folder: string;
let pool: Pool;

beforeAll(async () => {
  provisioned = await provisionRoles({ url, passwords });
  folder = await mkdtemp(join(tmpdir(), 'schema-'));
  await mkdir(join(folder, 'tables'));
  await writeFile(join(folder, 'tables', 'notes.sql'), NOTES);
  await applySchema({ url, schema: 'kernel', dir: folder, release: '0.0.0' });
  pool = createPool({ url: provisioned.urlFor('writ_kernel'), applicationName: 'spec', max: 4 });
});

afterAll(async () => {
  await pool.end();
  await rm(folder, { recursive: true });
  const admin = await connect(addressOf(server, MAINTENANCE_DATABASE), 'spec');
  await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
  await admin.end();
});

async function insertNote(tenant: string, n: number): Promise<void> {
  await inTenant(pool, tenant, async (client) => {
    await client.query('INSERT INTO kernel.note VALUES ($1, $2)', [tenant, n]);
  });
}

async function notesOf(tenant: string): Promise<number[]> {
  return await inTenant(
    pool,
    tenant,
    async (client) => {
      const { rows } = await client.query<{ n: number }>('SELECT n FROM kernel.note ORDER BY n');
      return rows.map((row) => row.n);
    },
    { readOnly: true },
  );
}

describe('arrays in the binary format', () => {
  it('are read by Postgres as they were, with NULLs and empty ones', async () => {
    const texts = ['a', null, '', 'é\u{1f600}', '{"x",NULL}'];
    const numbers = [0, null, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    const {
      rows: [row],
    } = await pool.query<{ t: unknown; b: Buffer[]; n: unknown; s: unknown; i: unknown; e: unknown }>(
      'SELECT $1::text[] AS t, $2::bytea[] AS b, $3::bigint[] AS n, $4::smallint[] AS s, $5::text[] AS e, $6::integer[] AS i',
      [
        textArray(texts),
        byteaArray([Uint8Array.of(0, 92, 255), null]),
        int8Array(numbers),
        int2Array([-32_768, 32_767]),
        textArray([]),
        int4Array([-2_147_483_648, null, 2_147_483_647]),
      ],
    );
    expect(row).toEqual({
      t: texts,
      b: [Buffer.from([0, 92, 255]), null],
      n: numbers,
      s: [-32_768, 32_767],
      i: [-2_147_483_648, null, 2_147_483_647],
      e: [],
    });
  });
});

describe('provisioning', () => {
  it('can be repeated, and run twice at once', async () => {
    const again = await Promise.all([provisionRoles({ url, passwords }), provisionRoles({ url, passwords })]);
    expect(again.map((each) => each.database)).toEqual([database, database]);
  });

  it('gives no role a right to bypass row-level security', async () => {
    const { rows } = await pool.query(
      `SELECT rolname FROM pg_roles WHERE rolname LIKE 'writ\\_%' AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)`,
    );
    expect(rows).toEqual([]);
  });

  it('denies a role the schemas of others', async () => {
    const ledger = createPool({ url: provisioned.urlFor('writ_ledger'), applicationName: 'spec', max: 1 });
    await expect(ledger.query('SELECT * FROM kernel.note')).rejects.toMatchObject({ code: '42501' });
    await expect(ledger.query('CREATE TABLE public.own (n int)')).rejects.toMatchObject({ code: '42501' });
    await ledger.end();
  });

  it('sends the server a verifier instead of the password', async () => {
    const admin = await connect(url, 'spec');
    const { rows } = await admin.query<{ rolpassword: string }>(
      'SELECT rolpassword FROM pg_authid WHERE rolname = ANY($1)',
      [[...LOGIN_ROLES]],
    );
    await admin.end();
    for (const row of rows) expect(row.rolpassword).toMatch(/^SCRAM-SHA-256\$/);
  });
});

describe('transactions', () => {
  it('show a tenant its own rows, and none without a tenant', async () => {
    await insertNote('ten_a', 1);
    await insertNote('ten_b', 2);
    expect(await notesOf('ten_a')).toEqual([1]);
    expect(
      await inTransaction(pool, async (client) => (await client.query('SELECT * FROM kernel.note')).rowCount),
    ).toBe(0);
    expect((await pool.query('SELECT * FROM kernel.note')).rowCount).toBe(0);
  });

  it('quote the tenant', async () => {
    expect(await notesOf(`x', true); SELECT set_config('writ.tenant_id', 'ten_a`)).toEqual([]);
  });

  it('cannot write a row of another tenant', async () => {
    const other = inTenant(pool, 'ten_a', (client) => client.query(`INSERT INTO kernel.note VALUES ('ten_b', 9)`));
    await expect(other).rejects.toMatchObject({ code: '42501' });
  });

  it('leave no changes when they throw', async () => {
    await expect(
      inTenant(pool, 'ten_c', async (client) => {
        await client.query(`INSERT INTO kernel.note VALUES ('ten_c', 1)`);
        throw new Error('changed its mind');
      }),
    ).rejects.toThrow('changed its mind');
    expect(await notesOf('ten_c')).toEqual([]);
  });

  it('do not report a commit that was a rollback', async () => {
    await expect(
      inTenant(pool, 'ten_c', async (client) => {
        await client.query('SELECT 1 / 0').catch(() => undefined);
      }),
    ).rejects.toThrow('a failed statement was swallowed');
  });

  it('run again after a serialisation failure', async () => {
    await insertNote('ten_d', 1);
    const add = (): Promise<unknown> =>
      inTenant(
        pool,
        'ten_d',
        async (client) => {
          const { rows } = await client.query<{ top: number }>('SELECT max(n) AS top FROM kernel.note');
          await client.query('INSERT INTO kernel.note VALUES ($1, $2)', ['ten_d', (rows[0]?.top ?? 0) + 1]);
        },
        { isolation: 'serializable', retries: 10 },
      );
    await Promise.all([add(), add()]);
    expect(await notesOf('ten_d')).toEqual([1, 2, 3]);
  });

  it('fail on a bigint beyond the safe integers', async () => {
    await insertNote('ten_e', 1);
    await expect(
      inTenant(pool, 'ten_e', (client) => client.query('SELECT 9007199254740993::bigint AS n')),
    ).rejects.toThrow(RangeError);
    expect(await notesOf('ten_e')).toEqual([1]);
  });

  it('keep member names of JSON, whatever was read before', async () => {
    const names = async (type: string, json: string): Promise<string[]> =>
      Object.keys((await pool.query<{ v: object }>(`SELECT $1::${type} AS v`, [json])).rows[0]!.v);
    for (const type of ['json', 'jsonb'])
      expect(
        [await names(type, '{"h":[],"\\\\":0}'), await names(type, '{"h":1,"\\"":2}')].map((of) => of.toSorted()),
      ).toEqual([
        ['\\', 'h'],
        ['"', 'h'],
      ]);
  });

  it('wait for the disk unless they commit asynchronously, and the next on the connection waits again', async () => {
    const setting = async (unawaited?: boolean): Promise<unknown> =>
      await inTenant(
        pool,
        'ten_f',
        async (client) => {
          const { rows } = await client.query<{ setting: string; tenant: string }>(
            `SELECT current_setting('synchronous_commit') AS setting, current_setting('writ.tenant_id') AS tenant`,
          );
          return rows[0];
        },
        unawaited === undefined ? {} : { asyncCommit: unawaited },
      );
    expect(await setting(true)).toEqual({ setting: 'off', tenant: 'ten_f' });
    expect(await setting()).toEqual({ setting: 'on', tenant: 'ten_f' });
  });

  it('commit durably, whatever the default of the server', async () => {
    const { rows } = await pool.query('SHOW synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: 'on' }]);
    await expect(verifyDurability(pool)).resolves.toBeUndefined();
    const hasty = createPool({
      url: `${provisioned.urlFor('writ_kernel')}?options=-c%20synchronous_commit%3Doff`,
      applicationName: 'spec',
      max: 1,
    });
    await expect(verifyDurability(hasty)).rejects.toThrow('`synchronous_commit` is `off`');
    await hasty.end();
  });
});

describe('statements', () => {
  const backendOf = async (of: Pool): Promise<number> =>
    (await runStatement<{ pid: number }>(of, { text: 'SELECT pg_backend_pid() AS pid' })).rows[0]!.pid;
  let one: Pool;
  beforeAll(() => {
    one = createPool({
      url: provisioned.urlFor('writ_kernel'),
      applicationName: 'spec',
      max: 1,
      statementTimeoutMs: 500,
    });
  });
  afterAll(() => one.end());

  it.each([
    [
      'an error that a function raises',
      `DO $$ BEGIN RAISE EXCEPTION 'the facts moved' USING ERRCODE = 'WR001'; END $$`,
      'WR001',
    ],
    ["data that can't be", 'SELECT 1 / 0', '22012'],
  ])('that are refused for %s leave their connection to the next', async (_why, text, code) => {
    const before = await backendOf(one);
    await expect(runStatement(one, { text })).rejects.toMatchObject({ code });
    expect(await backendOf(one)).toBe(before);
  });

  it('that are cancelled close their connection', async () => {
    const before = await backendOf(one);
    await expect(runStatement(one, { text: 'SELECT pg_sleep(5)' })).rejects.toMatchObject({
      code: 'database.unavailable',
    });
    expect(await backendOf(one)).not.toBe(before);
  });

  it('whose plan no longer fits are planned again, on another connection', async () => {
    const owner = await connect(provisioned.ownerUrl, 'spec');
    try {
      await owner.query(
        'CREATE TABLE kernel.shape (a integer); GRANT SELECT ON kernel.shape TO writ_kernel; INSERT INTO kernel.shape VALUES (1)',
      );
      const read = async (): Promise<unknown> =>
        (await runStatement(one, { name: 'shape', text: 'SELECT * FROM kernel.shape' })).rows;
      expect(await read()).toEqual([{ a: 1 }]);
      await owner.query('ALTER TABLE kernel.shape ADD COLUMN b integer');
      await expect(read()).rejects.toMatchObject({ code: '0A000' });
      expect(await read()).toEqual([{ a: 1, b: null }]);
    } finally {
      await owner.end();
    }
  });
});

/** A proxy to the server that can fall silent: from then on it forwards nothing. */
async function silenceableProxy(): Promise<{ url: string; silence: () => void; close: () => Promise<void> }> {
  const to = new URL(provisioned.urlFor('writ_kernel'));
  const open = new Set<Socket>();
  const proxy = createServer((from) => {
    const server = createConnection(Number(to.port), to.hostname);
    for (const socket of [from, server]) {
      open.add(socket);
      socket
        .on('error', () => socket.destroy())
        .on('close', () => {
          open.delete(socket);
        });
    }
    from.pipe(server).pipe(from);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(to);
  [url.hostname, url.port] = ['127.0.0.1', String((proxy.address() as AddressInfo).port)];
  return {
    url: url.href,
    silence: () => {
      for (const socket of open) socket.unpipe().pause();
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => {
        proxy.close(resolve);
      });
    },
  };
}

describe('connections that fall silent', () => {
  it.each<[string, (of: Pool) => Promise<unknown>]>([
    ['a statement', (of) => runStatement(of, { text: 'SELECT 1' })],
    ['a transaction', (of) => inTransaction(of, (client) => client.query('SELECT 1'))],
  ])('are all given up once %s has found one', async (_what, use) => {
    const proxy = await silenceableProxy();
    const silent = createPool({ url: proxy.url, applicationName: 'spec', max: 4, statementTimeoutMs: 300 });
    try {
      await Promise.all(Array.from({ length: 4 }, () => runStatement(silent, { text: 'SELECT pg_sleep(0.1)' })));
      expect(silent.idleCount).toBe(4);
      proxy.silence();
      await expect(use(silent)).rejects.toMatchObject({ code: 'database.unavailable' });
      expect(await Promise.allSettled(Array.from({ length: 8 }, () => use(silent)))).toEqual(
        Array.from({ length: 8 }, () => expect.objectContaining({ status: 'fulfilled' })),
      );
    } finally {
      await silent.end();
      await proxy.close();
    }
  });

  it('are closed alone if others still respond', async () => {
    const proxy = await silenceableProxy();
    const mixed = createPool({ url: proxy.url, applicationName: 'spec', max: 2, statementTimeoutMs: 300 });
    try {
      await runStatement(mixed, { text: 'SELECT 1' });
      proxy.silence();
      const lost = runStatement(mixed, { text: 'SELECT 1' });
      const pid = async (): Promise<unknown> =>
        (await runStatement(mixed, { text: 'SELECT pg_backend_pid() AS pid, pg_sleep(0.1)::text' })).rows[0];
      const before = await pid();
      await expect(lost).rejects.toMatchObject({ code: 'database.unavailable' });
      expect(await Promise.all([pid(), pid()])).toContainEqual(before);
    } finally {
      await mixed.end();
      await proxy.close();
    }
  });
});

describe('an unavailable database', () => {
  it('is a fault, whether it never answers or disconnects meanwhile', async () => {
    const nowhere = createPool({ url: 'postgres://a:b@127.0.0.1:1/x', applicationName: 'spec', connectTimeoutMs: 500 });
    await expect(inTransaction(nowhere, (client) => client.query('SELECT 1'))).rejects.toMatchObject({
      code: 'database.unavailable',
    });
    await nowhere.end();
    const suicide = inTransaction(pool, (client) => client.query('SELECT pg_terminate_backend(pg_backend_pid())'));
    await expect(suicide).rejects.toMatchObject({ code: 'database.unavailable' });
    expect(await notesOf('ten_a')).toEqual([1]);
  });
});
