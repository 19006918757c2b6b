// SPDX-License-Identifier: Apache-2.0
import { connect, type SqlFunctionRow } from '@writ/database';
import { testDatabase } from '@writ/testing';
import { orchestratorSql } from './functions.ts';

/** A function as the database has it: its parameters as `name type`, without the prefix `p_`. */
interface Found {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly returns: SqlFunctionRow['returns'];
  readonly may_call: boolean;
  readonly body: string;
}

const FUNCTIONS = `SELECT p.pronamespace::regnamespace || '.' || p.proname AS name, p.prosrc AS body,
    has_function_privilege('writ_orchestrator', p.oid, 'EXECUTE') AS may_call,
    CASE WHEN p.proretset THEN 'rows' WHEN t.typname = 'void' THEN 'nothing' ELSE 'value' END AS returns,
    ARRAY(SELECT regexp_replace(p.proargnames[n], '^p_', '') || ' ' || format_type(a.type, NULL)
      FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a(type, n) ORDER BY n) AS parameters
  FROM pg_proc p JOIN pg_type t ON t.oid = p.prorettype
  WHERE p.pronamespace = 'orchestrator'::regnamespace AND t.typname <> 'trigger' ORDER BY p.proname`;

/** What statements of this process call within larger ones, or libs/database for whichever schema a process has. */
const ELSEWHERE = ['orchestrator.now_ms', 'orchestrator.refresh_statistics'];

const table: readonly SqlFunctionRow[] = Object.values(orchestratorSql);
let found: Found[];

beforeAll(async () => {
  const database = await testDatabase();
  const owner = await connect(database.ownerUrl, 'writ-orchestrator-spec');
  found = (await owner.query<Found>(FUNCTIONS)).rows;
  await owner.end();
  await database.drop();
}, 120_000);

describe('the table of the functions of the schema orchestrator', () => {
  it('has the names, parameters and replies that the database has', () => {
    const there = new Map(found.map((each) => [each.name, each]));
    for (const row of table) {
      const { parameters, returns } = there.get(row.function) ?? {};
      const declared = Object.entries(row.parameters).map(([name, { pg }]) => `${name} ${pg}`);
      expect([row.function, declared]).toEqual([row.function, parameters]);
      // One row may be all that a function which returns a set ever has.
      expect([row.function, row.returns === 'row' ? 'rows' : row.returns]).toEqual([row.function, returns]);
    }
  });

  it('has every function that this process may call, but for those of larger statements', () => {
    const declared = table.map((row) => row.function);
    const callable = found.filter(({ may_call }) => may_call).map(({ name }) => name);
    expect([...declared, ...ELSEWHERE].sort()).toEqual(callable.sort());
  });

  it('has the errors that functions raise: none', () => {
    expect(table.flatMap(({ errors }) => errors)).toEqual([]);
    expect(
      found.filter(({ body }) => /\bRAISE EXCEPTION\b|\bINTO STRICT\b/.test(body)).map(({ name }) => name),
    ).toEqual([]);
  });
});
