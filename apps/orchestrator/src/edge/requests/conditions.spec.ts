// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { conditionMembers, conditionsOf, isNamedIn } from './conditions.ts';
import type { RouteRow } from './route.ts';

type Row = Pick<RouteRow, 'method' | 'tagged' | 'makes'>;
const VIEW: Row = { method: 'PUT', tagged: 'view' };
const MADE: Row = { method: 'PUT', tagged: 'view', makes: true };
const FILE: Row = { method: 'PUT', tagged: 'file', makes: true };
const read = (row: Row, headers: Record<string, string>): unknown => {
  try {
    return conditionMembers(conditionsOf(row, headers));
  } catch (error) {
    return (error as Fault).code;
  }
};

test.each<[Row, Record<string, string>, unknown]>([
  [VIEW, {}, {}],
  [VIEW, { 'if-match': '"a"' }, { if_match: ['a'] }],
  [VIEW, { 'if-match': '"a", "b"' }, { if_match: ['a', 'b'] }],
  [VIEW, { 'if-match': 'W/"a"' }, { if_match: ['W/a'] }],
  [VIEW, { 'if-match': '*' }, {}],
  [VIEW, { 'if-match': 'a' }, 'request.malformed'],
  [VIEW, { 'if-match': '' }, 'request.malformed'],
  [VIEW, { 'if-match': '"a' }, 'request.malformed'],
  [VIEW, { 'if-match': Array(9).fill('"a"').join(',') }, 'request.malformed'],
  [VIEW, { 'if-none-match': '*' }, 'request.malformed'],
  [FILE, { 'if-none-match': '*' }, { if_absent: true }],
  [FILE, { 'if-none-match': '"a"' }, 'request.malformed'],
  [VIEW, { 'if-match': '"*"' }, { if_match: ['W/*'] }],
  [MADE, { 'if-match': ' * ' }, { if_match: ['*'] }],
  [MADE, { 'if-match': '"*"' }, { if_match: ['W/*'] }],
  [MADE, { 'if-match': '"a", *' }, 'request.malformed'],
  [FILE, { 'if-match': '*' }, { if_match: ['*'] }],
  [{ method: 'POST', tagged: 'policy' }, { 'if-match': '*' }, {}],
  [FILE, { 'if-match': '"a"', 'if-none-match': '*' }, 'request.malformed'],
  [{ method: 'DELETE', tagged: 'file' }, { 'if-match': '*' }, {}],
  [{ method: 'POST' }, { 'if-match': '"a"' }, 'request.malformed'],
  [{ method: 'POST' }, { 'if-none-match': '*' }, 'request.malformed'],
  [{ method: 'GET', tagged: 'view' }, { 'if-match': '"a"', 'if-none-match': '"a"' }, {}],
])('%j reads %j as %j', (row, headers, expected) => {
  expect(read(row, headers)).toEqual(expected);
});

test('a read names the tag that a client has, weakly too, or any', () => {
  for (const has of ['"a"', 'W/"a"', '"b", "a"', '*']) expect([has, isNamedIn(has, '"a"')]).toEqual([has, true]);
  for (const has of ['"b"', 'a', undefined]) expect([has, isNamedIn(has, '"a"')]).toEqual([has, false]);
});
