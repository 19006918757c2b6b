// SPDX-License-Identifier: Apache-2.0
import type { KeptProcess } from './kept-process.ts';
import { AGE_MS_MAX, ProcessPool, type Lease } from './process-pool.ts';

interface Fake {
  readonly process: KeptProcess;
  isClosed: boolean;
  /** resolves when nothing of it is left; at once unless a test keeps it back */
  gone: Promise<unknown>;
}

let now = 0;
let pool: ProcessPool;
const never = new AbortController().signal;
beforeEach(() => {
  now = 0;
  pool = new ProcessPool({ processesMax: 4, memoryBytesMax: 100, now: () => now });
});
afterEach(() => pool.close());

function fake(): Fake {
  const ended = Promise.withResolvers<never>();
  const made: Fake = {
    isClosed: false,
    gone: Promise.resolve(),
    process: {
      startedAt: now,
      ended: ended.promise,
      get isAlive() {
        return !made.isClosed;
      },
      rest: () => undefined,
      calls: null,
      close: () => {
        made.isClosed = true;
        void made.gone.then(() => ended.resolve(undefined as never));
        return ended.promise;
      },
    } as unknown as KeptProcess,
  };
  return made;
}

/** Takes a process, and starts one where there was only room. */
async function take(
  tenantId: string,
  key: string,
  memoryBytes = 1,
): Promise<{ readonly lease: Lease; readonly own: Fake | null }> {
  const lease = await pool.take({ tenantId, key, memoryBytes }, 100, never);
  if (lease === null) throw new Error('there was no room');
  if (lease.process !== null) return { lease, own: null };
  const own = fake();
  lease.process = own.process;
  return { lease, own };
}

test('a process that is idle serves the next call of its key, and of no other', async () => {
  const { lease, own } = await take('t', 'one');
  lease.release(true);
  expect((await take('t', 'two')).own).not.toBeNull();
  expect((await take('t', 'one')).lease.process).toBe(own?.process);
});

test('two calls of one key at once have two processes', async () => {
  const first = await take('t', 'one');
  const second = await take('t', 'one');
  expect(second.own).not.toBeNull();
  expect(second.lease.process).not.toBe(first.lease.process);
});

test('a process that ended, is too old or is not to be kept serves no further call', async () => {
  const ended = await take('t', 'one');
  ended.lease.release(true);
  ended.own!.isClosed = true;
  const old = await take('t', 'one');
  expect(old.own).not.toBeNull();
  old.lease.release(true);
  now += AGE_MS_MAX;
  const last = await take('t', 'one');
  expect([old.own?.isClosed, last.own !== null]).toEqual([true, true]);
  last.lease.release(false);
  expect(last.own?.isClosed).toBe(true);
  await vi.waitFor(() => expect(pool.size).toBe(0));
});

test('a tenant has half of the processes, and its own oldest idle one makes room', async () => {
  const [first, second] = [await take('t', 'one'), await take('t', 'two')];
  expect(await pool.take({ tenantId: 't', key: 'three', memoryBytes: 1 }, 0, never)).toBeNull();
  await take('u', 'one');
  first.lease.release(true);
  now += 1;
  second.lease.release(true);
  await take('t', 'three');
  expect([first.own?.isClosed, second.own?.isClosed]).toEqual([true, false]);
});

test('a full executor ends the process that was idle longest, whosever it is', async () => {
  const mine = await take('t', 'one');
  mine.lease.release(true);
  for (const tenant of ['u', 'v', 'w']) await take(tenant, 'one');
  await take('x', 'one');
  expect([mine.own?.isClosed, pool.size]).toEqual([true, 4]);
});

test('a process makes room when nothing of it is left, and not before', async () => {
  const { promise: gone, resolve } = Promise.withResolvers<undefined>();
  const [first, second] = [await take('t', 'one'), await take('t', 'two')];
  first.own!.gone = gone;
  first.lease.release(true);
  now += 1;
  second.lease.release(true);
  let has = false;
  const waiting = take('t', 'three').then(() => (has = true));
  await vi.waitFor(() => expect(first.own?.isClosed).toBe(true));
  await new Promise((settled) => {
    setTimeout(settled, 20);
  });
  expect([has, pool.size, second.own?.isClosed]).toEqual([false, 2, false]);
  resolve(undefined);
  await waiting;
  expect([pool.size, second.own?.isClosed]).toEqual([2, false]);
});

test('processes have so much memory together, and idle ones make room', async () => {
  const first = await take('t', 'one', 60);
  expect(await pool.take({ tenantId: 'u', key: 'two', memoryBytes: 60 }, 0, never)).toBeNull();
  first.lease.release(true);
  await take('u', 'two', 60);
  expect(first.own?.isClosed).toBe(true);
  await take('u', 'three', 40);
  expect(await pool.take({ tenantId: 'v', key: 'four', memoryBytes: 1 }, 0, never)).toBeNull();
});

test('a call waits for room, and stops waiting when it is stopped', async () => {
  const [first] = [await take('t', 'one'), await take('t', 'two')];
  const waiting = pool.take({ tenantId: 't', key: 'three', memoryBytes: 1 }, 60_000, never);
  first.lease.release(false);
  expect(await waiting).not.toBeNull();
  const stop = new AbortController();
  const stopped = pool.take({ tenantId: 't', key: 'four', memoryBytes: 1 }, 60_000, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow('stopped');
});

test('a pool that is drained keeps no process, and starts none', async () => {
  const [idle, busy] = [await take('t', 'one'), await take('t', 'two')];
  idle.lease.release(true);
  pool.drain();
  expect([idle.own?.isClosed, busy.own?.isClosed]).toEqual([true, false]);
  busy.lease.release(true);
  expect([busy.own?.isClosed, await pool.take({ tenantId: 't', key: 'one', memoryBytes: 1 }, 1_000, never)]).toEqual([
    true,
    null,
  ]);
});

test('the late end of an older process does not end the one that took its place', async () => {
  const ended = Promise.withResolvers<undefined>();
  const first = await take('t', 'one');
  Object.assign(first.own!.process, { ended: ended.promise });
  first.lease.release(true);
  const { lease } = await take('t', 'one');
  const successor = fake();
  lease.process = successor.process;
  lease.release(true);
  ended.resolve(undefined);
  await Promise.resolve();
  expect([successor.isClosed, (await take('t', 'one')).lease.process]).toEqual([false, successor.process]);
});

test('all processes of a tenant are asked about, as many at a time as a request may have', async () => {
  await pool.close();
  pool = new ProcessPool({ processesMax: 1_000, memoryBytesMax: 1_000, now: () => now });
  const processes = Array.from({ length: 300 }, async (_, n) => {
    const { lease, own } = await take('t', `${n}`);
    Object.assign(own!.process, { calls: { first: `first ${n}`, last: `last ${n}` } });
    lease.release(true);
    return own!;
  });
  const all = await Promise.all(processes);
  const batches = pool.waiting();
  expect(batches.map(({ tenantId, programs }) => [tenantId, programs.length])).toEqual([
    ['t', 256],
    ['t', 44],
  ]);
  // Where one request has no answer, its processes wait on.
  batches[1]!.endUnless(new Set());
  expect(all.filter(({ isClosed }) => isClosed)).toHaveLength(44);
});

test('a process that a call has is asked about by the calls before it, and ends with the call', async () => {
  const first = await take('t', 'one');
  Object.assign(first.own!.process, { calls: { first: 'first', last: 'last' } });
  first.lease.release(true);
  const { lease } = await take('t', 'one');
  const [asked] = pool.waiting();
  expect(asked?.programs).toEqual([{ first: 'first', last: 'last' }]);
  asked!.endUnless(new Set());
  expect(first.own?.isClosed).toBe(false);
  lease.release(true);
  expect(first.own?.isClosed).toBe(true);
});
