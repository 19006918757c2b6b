// SPDX-License-Identifier: Apache-2.0
import { functionCatalog, testDatabase, uncalledFunctions, wrongRows } from '@writ/testing';
import { audioSql } from './functions.ts';

const table = Object.values(audioSql);
let catalog: Awaited<ReturnType<typeof functionCatalog>>;

beforeAll(async () => {
  const database = await testDatabase();
  catalog = await functionCatalog(database.ownerUrl, 'audio');
  await database.drop();
}, 120_000);

describe('the table of the functions of the schema audio', () => {
  it('matches the database in names, parameters, replies and errors', () => {
    expect(table.length).toBeGreaterThan(4);
    expect(wrongRows(table, catalog)).toEqual([]);
  });

  it('has every function that a process may call', () => {
    expect(uncalledFunctions(table, catalog, ['writ_executor', 'writ_kernel', 'writ_orchestrator'])).toEqual([]);
  });
});
