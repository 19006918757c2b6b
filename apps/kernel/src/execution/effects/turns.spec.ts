// SPDX-License-Identifier: Apache-2.0
import { Turns } from './turns.ts';

const head = (seq: number) => ({ snapshot_id: `snap_${String(seq)}`, seq });

test('one workspace has one commit under way at a time, in the order in which they came, each on the head that the last one left', async () => {
  const turns = new Turns();
  const seen: number[] = [];
  let underWay = 0;
  await Promise.all(
    Array.from({ length: 20 }, () =>
      turns.take('w', head(0), async (newest, left) => {
        underWay += 1;
        expect(underWay).toBe(1);
        await Promise.resolve();
        seen.push(newest.seq);
        left(head(newest.seq + 1));
        underWay -= 1;
      }),
    ),
  );
  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test('other workspaces do not wait', async () => {
  const turns = new Turns();
  let release = (): void => undefined;
  const held = turns.take(
    'w',
    head(0),
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  expect(await turns.take('x', head(5), (newest) => Promise.resolve(newest.seq))).toBe(5);
  release();
  await held;
});

test('one that fails leaves its turn to the next, and a newer head that was read wins over an older one left here', async () => {
  const turns = new Turns();
  const failing = turns.take('w', head(1), (_newest, left) => {
    left(head(2));
    return Promise.reject(new Error('failed'));
  });
  const next = turns.take('w', head(7), (newest) => Promise.resolve(newest.seq));
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe(7);
});
