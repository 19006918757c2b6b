// SPDX-License-Identifier: Apache-2.0
import { functionCatalog, testDatabase, wrongRows } from '@writ/testing';
import { orchestratorSql } from './functions.ts';

/**
 * Functions that are called within larger statements, by libs/database for any schema, or by versions before alone:
 * `authenticate` knows no keys of workers, `authenticate_key` no scopes, `providers_of` no groups, and
 * `claim_channel_messages` no kind but Slack.
 */
const ELSEWHERE = [
  'authenticate',
  'authenticate_key',
  'claim_channel_messages',
  'is_refused',
  'now_ms',
  'providers_of',
  'refresh_statistics',
];

const table = Object.values(orchestratorSql);
let catalog: Awaited<ReturnType<typeof functionCatalog>>;

beforeAll(async () => {
  const database = await testDatabase();
  catalog = await functionCatalog(database.ownerUrl, 'orchestrator');
  await database.drop();
}, 120_000);

describe('the table of the functions of the schema orchestrator', () => {
  it('has the names, parameters and replies that the database has', () => {
    expect(wrongRows(table, catalog)).toEqual([]);
  });

  it('has every function that this process may call, except those called within larger statements', () => {
    const declared = table.map((row) => row.function.slice('orchestrator.'.length));
    const callable = [...catalog.values()].filter(({ roles }) => roles.includes('writ_orchestrator'));
    expect([...declared, ...ELSEWHERE].sort()).toEqual(callable.map(({ name }) => name).sort());
  });

  it('has the errors that functions raise: none', () => {
    expect(table.flatMap(({ errors }) => errors)).toEqual([]);
    const raising = [...catalog.values()].filter(({ returns, errors }) => returns !== 'trigger' && errors.length > 0);
    expect(raising.map(({ name }) => name)).toEqual([]);
  });
});
