// SPDX-License-Identifier: Apache-2.0
import type { NodeEntry } from '@writ/workspace';
import { CONTAINER_TMPFS_BYTES, roomFault } from './container-room.ts';

const MIB = 2 ** 20;
const file = (size: number): NodeEntry => ({ kind: 'file', mode: '644', name: 'f', sha256: '0'.repeat(64), size });
const tree = (...entries: NodeEntry[]) => new Map(entries.map((entry, i) => [`f${i}`, entry]));

test('a container has room for the largest workspace and the largest effect beside it', () => {
  expect(CONTAINER_TMPFS_BYTES).toBe(512 * MIB);
  expect(roomFault(tree(file(256 * MIB)))).toBeNull();
  expect(roomFault(tree(file(256 * MIB), file(1)))).toMatch(/take 257 MiB, more than the 256 MiB/);
});

test('small files count as the pages that they take, directories as entries alone', () => {
  const room = { bytesMax: 8192, filesMax: 3 };
  expect(roomFault(tree(file(1), file(4096)), room)).toBeNull();
  expect(roomFault(tree(file(1), file(1), file(1)), room)).toMatch(/files that the command may read/);
  expect(roomFault(tree(file(0), file(0), { ...file(4096), kind: 'dir' }), room)).toBeNull();
});

test('more entries than a container takes are refused, however small', () => {
  expect(roomFault(tree(file(0), file(0)), { bytesMax: 1, filesMax: 1 })).toMatch(
    /may read 2 files and directories, more than the 1 that/,
  );
});
