// SPDX-License-Identifier: Apache-2.0
import { setImmediate as nextTurn } from 'node:timers/promises';
import { VectorScanner, type Scan } from './vector-scanner.ts';
import type { VectorBlock } from './top-hits.ts';

const DIMENSIONS = 64;
const ROWS = 256;
const BLOCK_BYTES = ROWS * (DIMENSIONS * 4 + 8);

/** Vectors that are the same in each run, about random. */
function blockOf(page: number): VectorBlock {
  const vectors = Float32Array.from({ length: ROWS * DIMENSIONS }, (_, n) =>
    Math.sin((page * ROWS * DIMENSIONS + n) ** 2),
  );
  return { ids: Float64Array.from({ length: ROWS }, (_, n) => page * ROWS + n + 1), vectors };
}

const query = Float32Array.from({ length: DIMENSIONS }, (_, n) => Math.cos(n));

/** What a scan must find, computed in the plainest way. */
function nearest(pages: number, most: number, only: readonly number[] | null): number[] {
  const scored = Array.from({ length: pages }, (_, page) => blockOf(page)).flatMap(({ ids, vectors }) =>
    [...ids].map((id, row) => ({
      id,
      score: query.reduce((sum, each, n) => sum + each * vectors[row * DIMENSIONS + n]!, 0),
    })),
  );
  const wanted = scored.filter(({ id }) => only === null || only.includes(id));
  return wanted
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ id }) => id);
}

describe('a scanner of vectors', () => {
  let scanner: VectorScanner;
  let reads: number;
  beforeEach(() => {
    scanner = new VectorScanner({ cacheBytesMax: 20 * BLOCK_BYTES });
    reads = 0;
  });
  afterEach(() => scanner.close());

  function scanOf(key: string, pages: number, over: Partial<Scan> = {}): Scan {
    async function* read(): AsyncGenerator<VectorBlock> {
      reads += 1;
      for (let page = 0; page < pages; page += 1) yield blockOf(page);
    }
    return { key, bytes: pages * BLOCK_BYTES, query, most: 10, only: null, pages: read, ...over };
  }

  it('finds the nearest of all vectors, and the same from its cache', async () => {
    const [first, second] = [await scanner.scan(scanOf('t:1:1', 8)), await scanner.scan(scanOf('t:1:1', 8))];
    expect(first.ids).toEqual(nearest(8, 10, null));
    expect(second).toEqual(first);
    expect(reads).toBe(1);
  });

  it('finds only ids that count, also from its cache', async () => {
    const only = Array.from({ length: 100 }, (_, n) => n * 17 + 3);
    const scan = scanOf('t:1:1', 8, { only: Float64Array.from(only) });
    for (let times = 0; times < 2; times += 1) expect((await scanner.scan(scan)).ids).toEqual(nearest(8, 10, only));
    expect(reads).toBe(1);
    expect((await scanner.scan({ ...scan, only: new Float64Array() })).ids).toEqual([]);
  });

  it('reads a new version of a store, and evicts the old one', async () => {
    for (const version of [1, 2, 1, 1]) await scanner.scan(scanOf(`t:1:${version}`, 8));
    expect(reads).toBe(3);
  });

  it('caches several stores within its limit, and evicts the least recently used', async () => {
    for (const store of [1, 2, 1, 3, 1, 2]) await scanner.scan(scanOf(`t:${store}:1`, 9));
    expect(reads).toBe(4);
  });

  it('searches a store that is larger than the cache without evicting others', async () => {
    await scanner.scan(scanOf('t:1:1', 4));
    for (let times = 0; times < 2; times += 1)
      expect((await scanner.scan(scanOf('t:2:1', 40))).ids).toEqual(nearest(40, 10, null));
    await scanner.scan(scanOf('t:1:1', 4));
    expect(reads).toBe(3);
    await scanner.scan(scanOf('t:3:1', 40, { bytes: 0 }));
    await scanner.scan(scanOf('t:3:1', 40, { bytes: 0 }));
    expect(reads).toBe(5);
  });

  it('serves scans of one version at once', async () => {
    const rankings = await Promise.all(Array.from({ length: 5 }, () => scanner.scan(scanOf('t:1:1', 8))));
    for (const ranking of rankings) expect(ranking.ids).toEqual(nearest(8, 10, null));
  });

  it('ends with the reason of its signal while it reads, and keeps nothing of the scan', async () => {
    const controller = new AbortController();
    const reason = new Error('the caller went away');
    async function* endless(): AsyncGenerator<VectorBlock> {
      for (let page = 0; ; page += 1) {
        if (page === 5) controller.abort(reason);
        yield blockOf(page % 8);
      }
    }
    await expect(scanner.scan(scanOf('t:1:1', 8, { pages: endless, signal: controller.signal }))).rejects.toBe(reason);
    expect((await scanner.scan(scanOf('t:1:1', 8))).ids).toEqual(nearest(8, 10, null));
    expect(reads).toBe(1);
  });

  it('fails with the error of its pages, and serves the next scan', async () => {
    const broken = new Error('the database went away');
    async function* failing(): AsyncGenerator<VectorBlock> {
      throw broken;
    }
    await expect(scanner.scan(scanOf('t:1:1', 8, { pages: failing }))).rejects.toBe(broken);
    expect((await scanner.scan(scanOf('t:1:1', 8))).ids).toEqual(nearest(8, 10, null));
  });

  it('fails the scans of a thread that ends, and starts another for the next', async () => {
    async function* closing(): AsyncGenerator<VectorBlock> {
      yield blockOf(0);
      await scanner.close();
      yield blockOf(1);
    }
    await expect(scanner.scan(scanOf('t:1:1', 8, { pages: closing }))).rejects.toThrow(
      'the scanner of vectors is closed',
    );
    const missing = new VectorScanner({ program: new URL('./missing.worker.ts', import.meta.url) });
    await expect(missing.scan(scanOf('t:1:1', 8))).rejects.toThrow('the thread that scans vectors ended');
    expect((await scanner.scan(scanOf('t:1:1', 8))).ids).toEqual(nearest(8, 10, null));
  });

  it('leaves the event loop free while it compares what is cached', async () => {
    await scanner.scan(scanOf('t:1:1', 9));
    let turns = 0;
    let isDone = false;
    const scan = Promise.all(Array.from({ length: 20 }, () => scanner.scan(scanOf('t:1:1', 9)))).then(() => {
      isDone = true;
    });
    while (!isDone) {
      await nextTurn();
      turns += 1;
    }
    await scan;
    expect(turns).toBeGreaterThan(5);
  });
});
