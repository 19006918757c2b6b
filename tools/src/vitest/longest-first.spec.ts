// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { TestSpecification, Vitest } from 'vitest/node';
import { checkout } from '../setup.ts';
import { LongestFirst } from './longest-first.ts';

const file = (name: string, project = 'unit'): TestSpecification =>
  ({ moduleId: join(checkout, name), project: { name: project } }) as TestSpecification;
const sequencer = (shard?: { index: number; count: number }): LongestFirst =>
  new LongestFirst({ config: { shard } } as unknown as Vitest);
const FILES = Array.from({ length: 40 }, (_, n) => file(`libs/none/src/${n}.spec.ts`));

test('all shards together have all files, each once, and about the same duration', async () => {
  const parts = await Promise.all([1, 2, 3].map((index) => sequencer({ index, count: 3 }).shard(FILES)));
  expect(
    parts
      .flat()
      .map(({ moduleId }) => moduleId)
      .toSorted(),
  ).toEqual(FILES.map(({ moduleId }) => moduleId).toSorted());
  expect(parts.map((part) => part.length).toSorted()).toEqual([13, 13, 14]);
});

test('with more shards than files some are empty', async () => {
  expect(await sequencer({ index: 50, count: 50 }).shard(FILES)).toEqual([]);
});

test('files of one project stay together, and no file is lost', async () => {
  const mixed = FILES.map((each, n) => file(each.moduleId, n % 2 === 0 ? 'e2e' : 'fault'));
  const sorted = await sequencer().sort(mixed);
  expect(sorted).toHaveLength(mixed.length);
  expect(sorted.map(({ project }) => project.name).filter((name, n, all) => name !== all[n - 1])).toHaveLength(2);
});
