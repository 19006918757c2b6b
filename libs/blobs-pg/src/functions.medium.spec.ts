// SPDX-License-Identifier: Apache-2.0
import { functionCatalog, testDatabase, uncalledFunctions, wrongRows } from '@writ/testing';
import { blobsSql } from './functions.ts';

const table = Object.values(blobsSql);
let catalog: Awaited<ReturnType<typeof functionCatalog>>;

beforeAll(async () => {
  const database = await testDatabase();
  catalog = await functionCatalog(database.ownerUrl, 'blobs');
  await database.drop();
}, 120_000);

describe('the table of the functions of the schema blobs', () => {
  it('matches the database in names, parameters, replies and errors', () => {
    expect(table.length).toBeGreaterThan(5);
    expect(wrongRows(table, catalog)).toEqual([]);
  });

  it('has every function that a process may call, except those that only the schema itself calls', () => {
    expect(uncalledFunctions(table, catalog, ['writ_executor', 'writ_kernel', 'writ_orchestrator'])).toEqual([]);
  });
});
