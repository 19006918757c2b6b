// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { keyedSample } from './keyed-sample.ts';

const key = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const files = (count: number): { path: string }[] =>
  Array.from({ length: count }, (_, n) => ({ path: `directory/file${n}` }));
const turns = { pause: () => Promise.resolve() };
const pathsOf = async (k: number, count: number, drawn: number): Promise<string[]> =>
  (await keyedSample(key(k), files(count), drawn, turns)).map(({ path }) => path);

describe('files that a keyed hash samples', () => {
  it('are distinct members of the list, as many as requested, or all', async () => {
    expect(new Set(await pathsOf(1, 1_000, 256)).size).toBe(256);
    expect((await pathsOf(1, 5, 256)).sort()).toEqual(files(5).map(({ path }) => path));
    expect((await pathsOf(1, 256, 256)).sort()).toEqual(
      files(256)
        .map(({ path }) => path)
        .sort(),
    );
    expect(await pathsOf(1, 0, 256)).toEqual([]);
  });

  it('are the same for the same key and list, and differ for another key or list', async () => {
    expect(await pathsOf(1, 1_000, 50)).toEqual(await pathsOf(1, 1_000, 50));
    expect(await pathsOf(1, 1_000, 50)).not.toEqual(await pathsOf(2, 1_000, 50));
    expect(await pathsOf(1, 1_000, 50)).not.toEqual(await pathsOf(1, 1_001, 50));
  });

  it('are all equally likely', async () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 2_000; n += 1) {
      const seed = createHash('sha256').update(String(n)).digest();
      for (const { path } of await keyedSample(seed, files(20), 5, turns))
        counts.set(path, (counts.get(path) ?? 0) + 1);
    }
    // Each of 20 is sampled 500 times of 2,000: five standard deviations are a hundred.
    for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(100);
    expect(counts.size).toBe(20);
  });

  it('of a long list take little time, in short turns of the event loop', async () => {
    const all = files(300_000);
    let [longest, last] = [0, process.threadCpuUsage()];
    const began = process.threadCpuUsage();
    await keyedSample(key(1), all, 256, {
      pause: async () => {
        const { user, system } = process.threadCpuUsage(last);
        longest = Math.max(longest, (user + system) / 1000);
        await setImmediate();
        last = process.threadCpuUsage();
      },
    });
    const { user, system } = process.threadCpuUsage(began);
    // A sampling in a single turn would take 6 s.
    expect((user + system) / 1000).toBeLessThan(1_500);
    expect(longest).toBeLessThan(50);
  });
});
