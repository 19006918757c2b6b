// SPDX-License-Identifier: Apache-2.0
import { readyOf, type CallStatus } from './ready-calls.ts';
import type { Touch } from './touches.ts';
import { touchesOf } from './touches-of.ts';

const path = (name: string): Touch[] => [{ kind: 'path', name }];
const waits = (touches: readonly Touch[] | null): CallStatus => ({ stands: 'waits', touches });
const open = (touches: readonly Touch[] | null): CallStatus => ({ stands: 'open', touches });
const ENDED: CallStatus = { stands: 'ended' };

test('calls with disjoint resources start at once, and one that overlaps another waits for it', () => {
  const calls = [waits(path('a')), waits(path('b')), waits(path('a/c')), waits(path(''))];
  expect(readyOf(calls, 'disjoint')).toEqual([0, 1]);
  expect(readyOf([ENDED, open(path('b')), ...calls.slice(2)], 'disjoint')).toEqual([2]);
  expect(readyOf([ENDED, ENDED, ENDED, calls[3]!], 'disjoint')).toEqual([3]);
});

test('a call with unknown resources runs alone, and nothing overtakes it', () => {
  expect(readyOf([waits(path('a')), waits(null), waits(path('b'))], 'disjoint')).toEqual([0]);
  expect(readyOf([ENDED, waits(null), waits([])], 'disjoint')).toEqual([1]);
});

test('a call whose variables are not filled in yet may touch anything', () => {
  const call = { tool_id: 'fs.read', args: { path: '$KARYI{DIR}' } };
  expect([touchesOf(call), touchesOf({ ...call, variables: ['DIR'] })]).toEqual([path('$KARYI{DIR}'), null]);
});

test('in sequence one starts when all before it have ended', () => {
  expect(readyOf([waits([]), waits([])], 'sequence')).toEqual([0]);
  expect(readyOf([open([]), waits([])], 'sequence')).toEqual([]);
  expect(readyOf([ENDED, waits([])], 'sequence')).toEqual([1]);
});

test.each<[string, Record<string, unknown>, readonly Touch[] | null]>([
  ['fs.write', { path: './src//a.ts', content: '' }, path('src/a.ts')],
  ['fs.list', {}, path('')],
  ['web.fetch', { url: 'https://Example.com:8443/x' }, [{ kind: 'host', name: 'example.com:8443' }]],
  ['shell.run', { command: 'true' }, null],
  ['shell.session', { command: 'true' }, null],
  ['mk8.run', { script: '{}' }, null],
  ['of_a_tenant', {}, null],
  ['task.create', { title: 'a' }, null],
  ['value.get', { key: 'A', reason: 'so' }, []],
  ['fs.write', { path: 7 }, []],
  ['fs.write', { path: '../a', content: '' }, []],
  ['web.fetch', { url: 'no url' }, []],
])('what %s touches with %j', (tool_id, args, touched) => {
  expect(touchesOf({ tool_id, args })).toEqual(touched);
});
