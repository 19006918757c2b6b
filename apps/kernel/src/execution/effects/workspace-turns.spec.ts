// SPDX-License-Identifier: Apache-2.0
import { WorkspaceTurns } from './workspace-turns.ts';

const head = (seq: number) => ({ snapshot_id: `snap_${String(seq)}`, seq });

test('one workspace has one commit under way at a time, in the order of arrival, each on the head that the last one left', async () => {
  const turns = new WorkspaceTurns();
  const seen: number[] = [];
  let underWay = 0;
  await Promise.all(
    Array.from({ length: 20 }, () =>
      turns.run('w', head(0), async (newest, left) => {
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
  const turns = new WorkspaceTurns();
  let release = (): void => undefined;
  const held = turns.run(
    'w',
    head(0),
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  expect(await turns.run('x', head(5), (newest) => Promise.resolve(newest.seq))).toBe(5);
  release();
  await held;
});

test('a commit that fails passes the turn on, and a newer head that was read replaces an older one left here', async () => {
  const turns = new WorkspaceTurns();
  const failing = turns.run('w', head(1), (_newest, left) => {
    left(head(2));
    return Promise.reject(new Error('failed'));
  });
  const next = turns.run('w', head(7), (newest) => Promise.resolve(newest.seq));
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe(7);
});
