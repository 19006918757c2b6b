// SPDX-License-Identifier: Apache-2.0
import type { NodeEntry } from '@writ/workspace';
import { CONTAINER_TMPFS_BYTES, capacityFault } from './container-capacity.ts';

const MIB = 2 ** 20;
const file = (size: number): NodeEntry => ({ kind: 'file', mode: '644', name: 'f', sha256: '0'.repeat(64), size });
const tree = (...entries: NodeEntry[]) => new Map(entries.map((entry, i) => [`f${i}`, entry]));

test('a container fits the largest workspace and the largest effect together', () => {
  expect(CONTAINER_TMPFS_BYTES).toBe(512 * MIB);
  expect(capacityFault(tree(file(256 * MIB)))).toBeNull();
  expect(capacityFault(tree(file(256 * MIB), file(1)))).toMatch(/take 257 MiB, more than the 256 MiB/);
});

test('small files count as whole pages, and directories only as entries', () => {
  const capacity = { bytesMax: 8192, filesMax: 3 };
  expect(capacityFault(tree(file(1), file(4096)), capacity)).toBeNull();
  expect(capacityFault(tree(file(1), file(1), file(1)), capacity)).toMatch(/files that the command may read/);
  expect(capacityFault(tree(file(0), file(0), { ...file(4096), kind: 'dir' }), capacity)).toBeNull();
});

test("more entries than a container's limit are refused, however small", () => {
  expect(capacityFault(tree(file(0), file(0)), { bytesMax: 1, filesMax: 1 })).toMatch(
    /may read 2 files and directories, more than the 1 that/,
  );
});
