// SPDX-License-Identifier: Apache-2.0
import { connect, createPool, refreshStatistics, type AnalysedSchema, type Pool } from '@writ/database';
import { testDatabase, type TestDatabase } from '@writ/testing';

const ROLES = {
  kernel: 'writ_kernel_worker',
  ledger: 'writ_ledger',
  orchestrator: 'writ_orchestrator',
} as const satisfies Record<AnalysedSchema, string>;
const SCHEMAS = Object.keys(ROLES) as AnalysedSchema[];

let database: TestDatabase;
const pools: Pool[] = [];
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  for (const pool of pools) await pool.end();
  await database.drop();
});

function poolFor(schema: AnalysedSchema): Pool {
  const pool = createPool({ url: database.urlFor(ROLES[schema]), applicationName: 'statistics-spec', max: 2 });
  pools.push(pool);
  return pool;
}

/** As the owner of tables. A connection reports its counts when it ends. */
async function asOwner<T>(
  work: (query: (text: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>) => Promise<T>,
): Promise<T> {
  const owner = await connect(database.ownerUrl, 'statistics-spec');
  try {
    return await work((text, values) => owner.query(text, values));
  } finally {
    await owner.end();
  }
}

const fill = (table: string, rows: number) =>
  asOwner((query) => query(`INSERT INTO ${table} (text) SELECT 'x' FROM generate_series(1, $1)`, [rows]));
const known = (table: string): Promise<number> =>
  asOwner(async (query) =>
    Number((await query('SELECT reltuples FROM pg_class WHERE oid = $1::regclass', [table])).rows[0]?.['reltuples']),
  );

describe.each(SCHEMAS)('the tables of `%s`', (schema) => {
  const table = `${schema}.grows`;
  beforeAll(() =>
    asOwner(async (query) => {
      await query(`CREATE TABLE ${table} (id bigserial PRIMARY KEY, text text)`);
      await query(`ALTER TABLE ${table} OWNER TO writ_owner`);
    }),
  );

  test('one that has grown is analysed, once, by the role of its process', async () => {
    const pool = poolFor(schema);
    await fill(table, 99);
    expect(await refreshStatistics(pool, schema)).toBe(0);
    expect(await known(table)).toBe(-1);
    await fill(table, 1);
    expect(await refreshStatistics(pool, schema)).toBe(1);
    expect(await known(table)).toBe(100);
    expect(await refreshStatistics(pool, schema)).toBe(0);
  });

  test('it is analysed again at four times its size and not before', async () => {
    const pool = poolFor(schema);
    await fill(table, 299);
    expect(await refreshStatistics(pool, schema)).toBe(0);
    await fill(table, 1);
    expect(await refreshStatistics(pool, schema)).toBe(1);
    expect(await known(table)).toBe(400);
  });

  test('where another replica analyses it nothing is done', async () => {
    await fill(table, 1_600);
    await asOwner(async (query) => {
      await query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`writ.statistics.${schema}`]);
      expect(await refreshStatistics(poolFor(schema), schema)).toBe(0);
    });
    expect(await refreshStatistics(poolFor(schema), schema)).toBe(1);
  });

  test('other roles may not have it analysed', async () => {
    const other = SCHEMAS.find((each) => each !== schema) as AnalysedSchema;
    await expect(poolFor(other).query(`SELECT ${schema}.refresh_statistics()`)).rejects.toMatchObject({
      code: '42501',
    });
  });
});
