// SPDX-License-Identifier: Apache-2.0
// One tenant's `.git` must not keep another waiting: it is read by real threads, beside the turns of the event loop.
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { poolSizes, workerProgram } from '@writ/worker-pool';
import { KernelPool } from '../../kernel-pool.ts';

/**
 * Far below the time that these took on the event loop (3 s to 101 s), and above what other work on the machine adds.
 */
const DELAY_MS_MAX = 500;
const OPTIONS = { tenantId: 'ten_hostile', wallMs: 20_000 };
const NAMES = Array.from({ length: 200 }, (_, n) => n.toString(16).padStart(40, '0'));

let pool: KernelPool;
beforeAll(() => {
  pool = new KernelPool({ ...poolSizes(), filename: workerProgram('../../kernel.worker', import.meta.url) });
});
afterAll(() => pool.close());

/** An index of version 4: a name, and many entries that are as long. */
function longIndex(entries: number, length: number): Buffer {
  const head = Buffer.from([0x44, 0x49, 0x52, 0x43, 0, 0, 0, 4, 0, 0, 0, 0]);
  head.writeUInt32BE(entries + 1, 8);
  const entry = Buffer.concat([Buffer.alloc(62), Buffer.from([1, 97, 0])]);
  return Buffer.concat([
    head,
    Buffer.alloc(63),
    Buffer.alloc(length, 97),
    Buffer.alloc(1),
    ...Array.from({ length: entries }, () => entry),
  ]);
}

/** Loose objects of 30 KiB that inflate to 30 MiB, none of which matches its name. */
const bombs = (): Map<string, Uint8Array> => {
  const bytes = deflateSync(Buffer.concat([Buffer.from(`blob ${30 * 1024 * 1024}\0`), Buffer.alloc(30 * 1024 * 1024)]));
  return new Map(NAMES.map((name) => [name, bytes]));
};

it('an index, objects and logs that are expensive to read hold up no other tenant, and count as keeping nothing', async () => {
  const references = new Map([
    ['packed-refs', Buffer.from(NAMES.map((name, n) => `${name} refs/heads/${n}\n`).join(''))],
  ]);
  const taken = NAMES.map((before, n) => ({ path: `file${n}`, before, after: null }));
  const objects = { loose: bombs(), packs: [], isComplete: true };
  const index = longIndex(480_000, 4_000);
  let [longest, isOver] = [0, false];
  const turns = async (): Promise<void> => {
    while (!isOver) {
      const began = performance.now();
      await sleep(1);
      longest = Math.max(longest, performance.now() - began);
    }
  };
  const beside = turns();
  const empty = longIndex(0, 1);
  const answers = await Promise.all([
    pool.run('git.kept', { index, references: new Map(), objects, taken, now: 0 }, OPTIONS),
    pool.run('git.kept', { index: empty, references, objects, taken, now: 0 }, OPTIONS),
  ]);
  isOver = true;
  await beside;
  expect(answers).toEqual([taken.map(() => false), taken.map(() => false)]);
  expect(longest).toBeLessThan(DELAY_MS_MAX);
});
