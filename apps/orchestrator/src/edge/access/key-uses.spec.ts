// SPDX-License-Identifier: Apache-2.0
import { KeyUses } from './key-uses.ts';

it('stores each used key once, in batches, and notes it again after that', async () => {
  const stored: (readonly string[])[] = [];
  const uses = new KeyUses(async (ids) => void stored.push(ids));
  for (let n = 0; n < 1_500; n++) for (const _again of [1, 2]) uses.note(`key_${n}`);
  await uses.flush();
  expect(stored.map(({ length }) => length)).toEqual([1_000, 500]);
  await uses.flush();
  expect(stored).toHaveLength(2);
  uses.note('key_0');
  await uses.flush();
  expect(stored.at(-1)).toEqual(['key_0']);
});

it('holds a bounded number of keys', async () => {
  let stored = 0;
  const uses = new KeyUses(async ({ length }) => void (stored += length));
  for (let n = 0; n < 30_000; n++) uses.note(`key_${n}`);
  await uses.flush();
  expect(stored).toBe(20_000);
});
