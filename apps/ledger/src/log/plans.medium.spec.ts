// SPDX-License-Identifier: Apache-2.0
// Plans are made at a connection's first batches and kept. On tables that nobody has analysed, as after the first start and after a restore, they must be as good as later ones.
import { newTenant, record, TestLedger } from '../specs/test-ledger.ts';

const APPENDS = 400;
/** Rows of `ledger.root` that an append may look at: the newest for where the log stands, and one for the checkpoint's foreign key. */
const ROWS_AN_APPEND = 4;

let ledgers: TestLedger;
beforeAll(async () => { ledgers = await TestLedger.open(); });
afterAll(() => ledgers.close());

/** Has every connection of the pool tell what it has counted, which it would otherwise do some seconds later. */
async function tellCounts(): Promise<void> {
  await Promise.all(Array.from({ length: ledgers.pool.options.max }, () => ledgers.pool.query('SELECT pg_stat_force_next_flush(), pg_sleep(0.05)')));
}

async function rowsRead(table: string): Promise<number> {
  const owner = await ledgers.asOwner();
  try {
    const { rows: [row] } = await owner.query<{ rows: number }>('SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = $2', ['ledger', table]);
    return row?.rows ?? 0;
  } finally {
    await owner.end();
  }
}

test('what an append reads does not grow with the log', async () => {
  const ledger = ledgers.replica('plans');
  const tenant = newTenant();
  for (let i = 0; i < APPENDS; i++) await ledger.append([record(tenant)]);
  await tellCounts();
  const read = await rowsRead('root');
  // None read would say that nothing was counted.
  expect(read).toBeGreaterThanOrEqual(APPENDS - 1);
  expect(read).toBeLessThanOrEqual(ROWS_AN_APPEND * APPENDS);
}, 60_000);
