// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantId } from '@writ/contract';
import { createPool, type Pool } from '@writ/database';
import { IndexStore } from './index-store.ts';
import { newTenant, TestLedger, type Replica } from '../specs/test-ledger.ts';
import { completeRecord } from '../specs/complete-record.ts';
import { DueLogs, Indexer, restAfter } from './indexer.ts';

/** More than a batch, and no multiple of one. */
const MANY = 1_203;
const AT_ONCE = 200;

let ledgers: TestLedger;
let ledger: Replica;
let owner: Awaited<ReturnType<TestLedger['asOwner']>>;
beforeAll(async () => {
  ledgers = await TestLedger.open();
  ledger = ledgers.replica('indexed');
  owner = await ledgers.asOwner();
});
afterAll(async () => {
  await owner.end();
  await ledgers.close();
});

const append = async (tenant: TenantId, count: number): Promise<void> => {
  for (let left = count; left > 0; left -= AT_ONCE)
    await ledger.append(
      Array.from({ length: Math.min(left, AT_ONCE) }, (_, n) => completeRecord(tenant, { recorded_at: n })),
    );
};
const failOnError = (error: unknown): void => {
  throw error;
};
const indexerOf = (
  tenants: Iterable<string>,
  { pool = ledgers.pool, onError = failOnError }: { pool?: Pool; onError?: (error: unknown) => void } = {},
): Indexer => {
  const due = new DueLogs();
  due.add(tenants);
  return new Indexer(due, new IndexStore(pool), onError);
};
/** Compares the rows of a tenant with its leaves: every leaf has one row, and there is no other row. */
const expectFullyIndexed = async (tenant: TenantId, count: number): Promise<void> => {
  const { rows } = await owner.query<{ leaf: number | null; row: number | null; same: boolean | null }>(
    `SELECT l.leaf_index AS leaf, r.leaf_index AS row, l.record_id = r.record_id AND l.recorded_at = r.recorded_at AS same
       FROM (SELECT * FROM ledger.leaf WHERE tenant_id = $1) l FULL JOIN (SELECT * FROM ledger.record_index WHERE tenant_id = $1) r USING (log_id, leaf_index) ORDER BY 1, 2`,
    [tenant],
  );
  expect(rows).toEqual(Array.from({ length: count }, (_, n) => ({ leaf: n, row: n, same: true })));
};
const rounds = async (indexer: Indexer, count = 3): Promise<void> => {
  for (let i = 0; i < count; i += 1) await indexer.round();
};

test('a log that existed before the index is indexed completely over several rounds, and then as it grows', async () => {
  const tenant = newTenant();
  await append(tenant, MANY);
  await rounds(indexerOf([tenant]));
  await expectFullyIndexed(tenant, MANY);
  await append(tenant, 3);
  await rounds(indexerOf([tenant]));
  await expectFullyIndexed(tenant, MANY + 3);
});

test('logs with a few records each are indexed in one batch, whatever the result of one of them', async () => {
  const store = new IndexStore(ledgers.pool);
  const [behind, held, ...others] = Array.from({ length: 12 }, newTenant) as [TenantId, TenantId, ...TenantId[]];
  await append(behind, MANY);
  for (const tenant of [held, ...others]) await append(tenant, 3);
  await owner.query('BEGIN');
  await owner.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 20261))', [`log_${held.slice(4)}`]);
  // The log that is far behind fills the first batch, and all others wait for the next one.
  expect([...(await store.indexNext([behind, held, ...others])).values()]).toEqual([
    'more',
    ...Array.from({ length: 11 }, () => 'waits'),
  ]);
  expect([...(await store.indexNext([held, ...others, behind])).values()]).toEqual([
    'taken',
    ...others.map(() => 'done'),
    'more',
  ]);
  for (const tenant of others) await expectFullyIndexed(tenant, 3);
  await owner.query('COMMIT');
  await rounds(indexerOf([behind, held]));
  await expectFullyIndexed(behind, MANY);
  await expectFullyIndexed(held, 3);
});

test('a log that is far behind yields to the others within a round', async () => {
  const [behind, ...others] = Array.from({ length: 4 }, newTenant) as [TenantId, ...TenantId[]];
  await append(behind, 2 * MANY);
  for (const tenant of others) await append(tenant, 3);
  await indexerOf([behind, ...others]).round();
  for (const tenant of others) await expectFullyIndexed(tenant, 3);
});

test("a log that can't be indexed delays no other", async () => {
  const tenants = [newTenant(), newTenant(), newTenant()];
  for (const tenant of tenants) await append(tenant, 2);
  const [, broken] = tenants as [TenantId, TenantId, TenantId];
  await owner.query(`ALTER TABLE ledger.record_index ADD CONSTRAINT broken CHECK (tenant_id <> '${broken}') NOT VALID`);
  const errors: unknown[] = [];
  const indexer = indexerOf(tenants, { onError: (error) => errors.push(error) });
  await indexer.round();
  for (const tenant of tenants.filter((each) => each !== broken)) await expectFullyIndexed(tenant, 2);
  expect(errors).toMatchObject([{ constraint: 'broken' }]);
  await owner.query('ALTER TABLE ledger.record_index DROP CONSTRAINT broken');
  await indexer.round();
  await expectFullyIndexed(broken, 2);
});

test('two replicas that index during appends index every leaf once', async () => {
  const tenants = [newTenant(), newTenant(), newTenant()];
  const other = createPool({ url: ledgers.database.urlFor('writ_ledger'), applicationName: 'ledger-spec-other' });
  let isOver = false;
  const replica = async (pool: Pool): Promise<void> => {
    while (!isOver) await indexerOf(tenants, { pool }).round();
  };
  const replicas = [replica(ledgers.pool), replica(other)];
  for (let i = 0; i < 10; i += 1) await Promise.all(tenants.map((tenant) => append(tenant, 70)));
  isOver = true;
  await Promise.all(replicas);
  await rounds(indexerOf(tenants));
  for (const tenant of tenants) await expectFullyIndexed(tenant, 700);
  await other.end();
});

test('an indexer whose connection is killed during a batch leaves no row of it, and continues later', async () => {
  const tenant = newTenant();
  await append(tenant, 600);
  const pool = createPool({
    url: ledgers.database.urlFor('writ_ledger'),
    applicationName: 'ledger-spec-doomed',
    onIdleError: () => undefined,
  });
  const errors: unknown[] = [];
  const indexer = indexerOf([tenant], { pool, onError: (error) => errors.push(error) });
  // Its first insert waits behind this lock.
  await owner.query('BEGIN');
  await owner.query('LOCK TABLE ledger.record_index IN SHARE MODE');
  const round = indexer.round();
  // With another connection, since statistics are frozen within the owner's transaction.
  const killer = await ledgers.asOwner();
  for (let killed = 0; killed === 0;) {
    const { rowCount } = await killer.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ledger-spec-doomed' AND wait_event_type = 'Lock' AND datname = current_database()`,
    );
    killed = rowCount ?? 0;
  }
  await killer.end();
  await round;
  await owner.query('ROLLBACK');
  expect(errors).toHaveLength(1);
  expect((await owner.query('SELECT 1 FROM ledger.record_index WHERE tenant_id = $1', [tenant])).rowCount).toBe(0);
  // The log is still due.
  await rounds(indexer);
  await expectFullyIndexed(tenant, 600);
  await pool.end();
});

test('a stopped indexer finishes its batch, and the next indexer continues after it', async () => {
  const tenant = newTenant();
  await append(tenant, MANY);
  const first = indexerOf([tenant]);
  const round = first.round();
  await first.stop();
  await round;
  const {
    rows: [indexed],
  } = await owner.query<{ count: number }>('SELECT count(*) AS count FROM ledger.record_index WHERE tenant_id = $1', [
    tenant,
  ]);
  expect(indexed!.count).toBeLessThan(MANY);
  await rounds(indexerOf([tenant]));
  await expectFullyIndexed(tenant, MANY);
});

test('a record of an unknown version delays nothing', async () => {
  const tenant = newTenant();
  await ledger.append([completeRecord(tenant), completeRecord(tenant, { v: 2 }), completeRecord(tenant)]);
  await rounds(indexerOf([tenant]));
  const { rows } = await owner.query(
    'SELECT is_drawn, kind, phase FROM ledger.record_index WHERE tenant_id = $1 ORDER BY leaf_index',
    [tenant],
  );
  expect(rows).toEqual([true, false, true].map((is_drawn) => ({ is_drawn, kind: 'tool_call', phase: 'outcome' })));
});

test('no append waits for an indexer that holds the lock of the log', async () => {
  const tenant = newTenant();
  await append(tenant, 1);
  await owner.query('BEGIN');
  await owner.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 20261))', [`log_${tenant.slice(4)}`]);
  const indexer = indexerOf([tenant]);
  await indexer.round();
  await append(tenant, 1);
  expect((await owner.query('SELECT 1 FROM ledger.record_index WHERE tenant_id = $1', [tenant])).rowCount).toBe(0);
  await owner.query('COMMIT');
  await rounds(indexer);
  await expectFullyIndexed(tenant, 2);
});

test('the indexer rests for four fifths of the time, and for at most ten seconds', () => {
  expect([0, 50, 100, 1_000, 60_000].map(restAfter)).toEqual([0, 200, 400, 4_000, 10_000]);
});

test('an indexer that is stopped during its rest ends at once', async () => {
  const tenant = newTenant();
  await append(tenant, 1);
  const { promise: started, resolve } = Promise.withResolvers<undefined>();
  const store = {
    indexNext: async () => {
      resolve(undefined);
      await sleep(1_000);
      return new Map([[tenant, 'more' as const]]);
    },
  };
  const due = new DueLogs();
  due.add([tenant]);
  const indexer = new Indexer(due, store, failOnError);
  const round = indexer.round();
  await started;
  const began = performance.now();
  await indexer.stop();
  await round;
  // Only the running batch, without the four seconds of rest.
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(due.startRound()).toEqual([tenant]);
});
