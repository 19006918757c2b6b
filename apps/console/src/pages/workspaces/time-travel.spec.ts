// SPDX-License-Identifier: Apache-2.0
import type { Snapshot } from '@writ/client/web';
import { effectOf, placeIn } from './time-travel.ts';
import { readWorkspaceSearch } from './workspace-search.ts';

const ID = `snap_${'a'.repeat(64)}`;
const state = (seq: number, snapshot_id: string) => ({ seq, snapshot_id }) as Snapshot;
// Newest first: state 2 is what a restore of state 0 made.
const HISTORY = [state(2, 'snap_a'), state(1, 'snap_b'), state(0, 'snap_a')];

it('a state that a restore repeated differs from the first one by its place', () => {
  expect(placeIn(HISTORY, 'snap_a', 0)).toBe(2);
  expect(placeIn(HISTORY, 'snap_a', 2)).toBe(0);
  expect(placeIn(HISTORY, 'snap_a', undefined)).toBe(0);
});

it('a place that has another snapshot is not believed', () => {
  expect(placeIn(HISTORY, 'snap_b', 0)).toBe(1);
  expect(placeIn(HISTORY, 'snap_c', 0)).toBe(-1);
});

it('what a restore does is listed file by file', () => {
  const file = { kind: 'file' };
  const changes = [
    { path: 'new', before: file, after: null },
    { path: 'lost', before: null, after: file },
    { path: 'other', before: file, after: file },
  ];
  expect(effectOf(changes)).toEqual({ back: ['lost'], changed: ['other'], gone: ['new'] });
});

it('an address keeps what the page of a workspace knows, and nothing else', () => {
  const good = { at: ID, seq: 3, path: 'src/', view: 'changes', from: ID };
  expect(readWorkspaceSearch({ ...good, other: 1 })).toEqual(good);
  expect(readWorkspaceSearch({ at: '2026-01-31T09:30:00Z' })).toEqual({ at: '2026-01-31T09:30:00Z' });
  expect(readWorkspaceSearch({ at: 'snap_x', seq: -1, path: '', view: 'x', from: '2026' })).toEqual({});
});
