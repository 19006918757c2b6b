// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTemporary } from './temporary.ts';

const ID = `spec-${process.pid}`;

/** A file in a folder that permits no change, as Go's modules lie. */
const leaveReadOnly = (folder: string): void => {
  const inner = join(folder, 'module');
  mkdirSync(inner);
  writeFileSync(join(inner, 'go.mod'), '');
  chmodSync(inner, 0o555);
};

test('the folder and what is forgotten in it are gone after the run', async () => {
  const folder = await withTemporary(ID, async (folder) => {
    leaveReadOnly(folder);
    return folder;
  });
  expect(existsSync(folder)).toBe(false);
});

test('they are gone after a failure too', async () => {
  let seen = '';
  const failing = withTemporary(ID, async (folder) => {
    seen = folder;
    leaveReadOnly(folder);
    throw new Error('as it happens');
  });
  await expect(failing).rejects.toThrow('as it happens');
  expect(existsSync(seen)).toBe(false);
});

test('what a killed run left is removed first', async () => {
  await withTemporary(ID, async (folder) => {
    leaveReadOnly(folder);
    await withTemporary(ID, async (again) => {
      expect(again).toBe(folder);
      expect(readdirSync(again)).toEqual([]);
    });
  });
});
