// SPDX-License-Identifier: Apache-2.0
// Plans are made at a connection's first batches and kept. On tables without statistics, as after the first start and
// after a restore, they must be as good as later ones.
import { rowsRead } from '@writ/testing';
import { newTenant, record, TestLedger } from '../specs/test-ledger.ts';

const APPENDS = 400;
/**
 * Rows of `ledger.root` that an append may read: the newest for the log's head, and one for the checkpoint's foreign
 * key.
 */
const ROWS_AN_APPEND = 4;

let ledgers: TestLedger;
beforeAll(async () => {
  ledgers = await TestLedger.open();
});
afterAll(() => ledgers.close());

test('the number of rows that an append reads does not grow with the log', async () => {
  const ledger = ledgers.replica('plans');
  const tenant = newTenant();
  for (let i = 0; i < APPENDS; i++) await ledger.append([record(tenant)]);
  const read = await rowsRead(ledgers.pool, 'ledger.root');
  // Zero reads would mean that nothing was counted.
  expect(read).toBeGreaterThanOrEqual(APPENDS - 1);
  expect(read).toBeLessThanOrEqual(ROWS_AN_APPEND * APPENDS);
}, 120_000);
