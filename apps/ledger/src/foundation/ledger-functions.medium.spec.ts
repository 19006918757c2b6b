// SPDX-License-Identifier: Apache-2.0
import { functionCatalog, testDatabase, uncalledFunctions, wrongRows } from '@writ/testing';
import { ledgerSql } from './ledger-functions.ts';

const table = Object.values(ledgerSql);
let catalog: Awaited<ReturnType<typeof functionCatalog>>;

beforeAll(async () => {
  const database = await testDatabase();
  catalog = await functionCatalog(database.ownerUrl, 'ledger');
  await database.drop();
}, 120_000);

describe('the table of the functions of the schema ledger', () => {
  it('has the names, parameters, replies and errors that the database has', () => {
    expect(table.length).toBeGreaterThan(5);
    expect(wrongRows(table, catalog)).toEqual([]);
  });

  it('has every function that the ledger may call and that neither the schema nor a larger statement calls', () => {
    // refresh_statistics: `refreshStatistics` of libs/database calls it. tile_hashes: a join reads many tiles at once.
    expect(uncalledFunctions(table, catalog, ['writ_ledger'])).toEqual(['refresh_statistics']);
  });
});
