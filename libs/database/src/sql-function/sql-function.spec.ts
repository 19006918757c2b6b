// SPDX-License-Identifier: Apache-2.0
import type { Client, Pool } from '../pool.ts';
import { isSqlError, SQL_ERRORS } from './sql-errors.ts';
import { sqlFunction } from './sql-function.ts';
import { sqlTypes } from './sql-types.ts';

const sent: { name: string; text: string; values: unknown[] }[] = [];
const answering = (rows: object[]): Client =>
  ({
    query: (query: (typeof sent)[number]) => {
      sent.push(query);
      return Promise.resolve({ rows });
    },
  }) as unknown as Client;
const failing = (error: Error): Client => ({ query: () => Promise.reject(error) }) as unknown as Client;
const NO_POOL = null as unknown as Pool;

const parameters = {
  tenant: sqlTypes.text,
  p: sqlTypes.jsonb<object>(),
  sizes: sqlTypes.nullable(sqlTypes.bigintArray),
};
const args = { sizes: null, p: { a: [1] }, tenant: 'ten_1' };

beforeEach(() => {
  sent.length = 0;
});

describe('a declared SQL function', () => {
  it('is called by one named statement, with its arguments in the order of the declaration', async () => {
    const move = sqlFunction<number>()('kernel.move', parameters, { returns: 'value' });
    expect(await move.in(answering([{ value: 7 }]), args)).toBe(7);
    expect(sent).toEqual([
      { name: 'kernel.move', text: 'SELECT kernel.move($1, $2, $3) AS value', values: ['ten_1', '{"a":[1]}', null] },
    ]);
  });

  it('returns its first row or null, all its rows, or nothing, as declared', async () => {
    const rows = [{ n: 1 }, { n: 2 }];
    const row = sqlFunction<{ n: number }>()('kernel.a', {}, { returns: 'row' });
    const all = sqlFunction<{ n: number }>()('kernel.b', {}, { returns: 'rows' });
    const none = sqlFunction()('kernel.c', {}, { returns: 'nothing' });
    expect(await row.in(answering(rows), {})).toEqual({ n: 1 });
    expect(await row.in(answering([]), {})).toBeNull();
    expect(await all.in(answering(rows), {})).toEqual(rows);
    expect(await none.in(answering([{ value: '' }]), {})).toBeUndefined();
    expect(sent.map(({ text }) => text)).toEqual([
      'SELECT * FROM kernel.a()',
      'SELECT * FROM kernel.a()',
      'SELECT * FROM kernel.b()',
      'SELECT kernel.c() AS value',
    ]);
  });

  it('that returns rows is refused an asynchronous COMMIT', async () => {
    const all = sqlFunction<{ n: number }>()('kernel.b', {}, { returns: 'rows' });
    await expect(all(NO_POOL, {}, { asyncCommit: true })).rejects.toThrow('returns rows');
  });

  it('throws the error to which its declaration maps the database’s', async () => {
    const refused = Object.assign(new Error('too much'), { code: 'WR003' });
    const mapError = (error: unknown): unknown => (isSqlError(error, 'quota_exceeded') ? new Error('a quota') : error);
    const put = sqlFunction()('kernel.put', {}, { returns: 'nothing', errors: ['quota_exceeded'], mapError });
    await expect(put.in(failing(refused), {})).rejects.toThrow('a quota');
  });
});

describe('an error of an SQL function', () => {
  it('is recognised by its SQLSTATE, whatever its message says', () => {
    const error = Object.assign(new Error('the facts moved: payload_key'), { code: 'WR001' });
    expect(isSqlError(error, 'decide_again')).toBe(true);
    expect(isSqlError(error, 'key_retired', 'tool_changed')).toBe(false);
    expect(isSqlError(new Error('WR001'), 'decide_again')).toBe(false);
  });

  it('has a unique SQLSTATE', () => {
    const states = Object.values(SQL_ERRORS).map(({ state }) => state);
    expect(new Set(states).size).toBe(states.length);
  });
});
