// SPDX-License-Identifier: Apache-2.0
import { ChangedLimits, type ReadChanged } from './changed-limits.ts';

interface Limit {
  readonly tenant_id: string;
  readonly weight: number;
  readonly at: number;
}

/** The changes, two a page; `now` is the time of the request. */
const source =
  (rows: Limit[], clock: { now: number }): ReadChanged<Limit> =>
  async (since, after) => {
    const items = rows
      .filter(({ tenant_id, at }) => at >= since && tenant_id > after)
      .toSorted((a, b) => (a.tenant_id < b.tenant_id ? -1 : 1))
      .slice(0, 2);
    return { now: clock.now, items, more: items.length === 2 };
  };

test('one refresh loads all limits, over all pages', async () => {
  const rows = ['a', 'b', 'c', 'd', 'e'].map((tenant_id, i) => ({ tenant_id, weight: i, at: i }));
  const limits = new ChangedLimits(source(rows, { now: 10 }));
  await limits.refresh();
  expect(rows.map(({ tenant_id }) => limits.of(tenant_id)?.weight)).toEqual([0, 1, 2, 3, 4]);
  expect(limits.of('f')).toBeUndefined();
});

test('a refresh finds a change that became visible late, and does not request older ones again', async () => {
  const clock = { now: 100_000 };
  const rows: Limit[] = [{ tenant_id: 'a', weight: 1, at: 1 }];
  const requested: number[] = [];
  const read = source(rows, clock);
  const limits = new ChangedLimits<Limit>((since, after) => {
    requested.push(since);
    return read(since, after);
  });
  await limits.refresh();
  // Its transaction began ten seconds before the refresh, and committed after it.
  rows.push({ tenant_id: 'b', weight: 2, at: 90_000 });
  clock.now += 500;
  await limits.refresh();
  expect(limits.of('b')?.weight).toBe(2);
  expect(requested).toEqual([0, 85_000]);
});

test('if the source does not answer, the last known limits stay', async () => {
  let isSilent = false;
  const read = source([{ tenant_id: 'a', weight: 9, at: 1 }], { now: 10 });
  const limits = new ChangedLimits<Limit>((since, after) =>
    isSilent ? Promise.reject(new Error('silent')) : read(since, after),
  );
  await limits.refresh();
  isSilent = true;
  await expect(limits.refresh()).rejects.toThrow('silent');
  expect(limits.of('a')?.weight).toBe(9);
});
