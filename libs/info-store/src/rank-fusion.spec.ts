// SPDX-License-Identifier: Apache-2.0
import { fuseRankings } from './rank-fusion.ts';

const fuse = (...rankings: readonly string[][]) => fuseRankings(rankings, (item) => item);

describe('reciprocal rank fusion', () => {
  it('adds up 1 / (60 + rank) over the rankings', () => {
    expect(fuse(['a', 'b'], ['b', 'c'])).toEqual([
      { item: 'b', score: 1 / 62 + 1 / 61 },
      { item: 'a', score: 1 / 61 },
      { item: 'c', score: 1 / 62 },
    ]);
  });

  it('prefers what both rankings have to the first of one', () => {
    expect(fuse(['a', 'x', 'y', 'b'], ['c', 'z', 'b']).at(0)?.item).toBe('b');
  });

  it('counts an item once in a ranking, and keeps the order of equal scores', () => {
    expect(fuse(['a', 'a', 'a'], ['b']).map(({ item }) => item)).toEqual(['a', 'b']);
    expect(fuse([], [])).toEqual([]);
  });
});
