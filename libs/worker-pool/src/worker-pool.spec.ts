// SPDX-License-Identifier: Apache-2.0
import { MessageChannel } from 'node:worker_threads';
import { Fault } from '@writ/contract';
import { InlineTaskRunner, WorkerPool, workerProgram, type WorkerPoolOptions } from './index.ts';
import { hostileTasks, type HostileTasks } from './specs/hostile.worker.ts';

const FILENAME = workerProgram('specs/hostile.worker', import.meta.url);
const A = { tenantId: 'a', wallMs: 60_000 };
const B = { tenantId: 'b', wallMs: 60_000 };

const pools: WorkerPool<HostileTasks>[] = [];
function open(more: Partial<WorkerPoolOptions> = {}): WorkerPool<HostileTasks> {
  const pool = new WorkerPool<HostileTasks>({
    filename: FILENAME,
    threads: 2,
    heapMb: 48,
    queuedPerTenant: 8,
    queued: 16,
    ...more,
  });
  pools.push(pool);
  return pool;
}
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

const faultOf = async (work: Promise<unknown>): Promise<Fault> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Fault);
  return error as Fault;
};
const eventually = async (condition: () => boolean): Promise<void> => {
  while (!condition())
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
};

describe('a worker pool returns', () => {
  it('the values of its tasks', async () => {
    expect(await open().run('echo', { text: 'hello' }, A)).toEqual({ text: 'hello' });
  });

  it('a fault of a task as the same fault', async () => {
    const fault = await faultOf(open().run('refuse', {}, A));
    expect(fault).toMatchObject({
      code: 'edit.no_match',
      detail: 'the text is not there',
      pointer: '/find',
      hint: 'read the file first',
    });
  });

  it('a bug of a task as a plain error that names the task', async () => {
    const error = await open()
      .run('fail', {}, A)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(Fault);
    expect((error as Error).message).toBe('`fail` failed: TypeError: a bug');
  });

  it.each(['a thread', 'the calling thread'])('what a task was told over a port, on %s', async (where) => {
    const runner = where === 'a thread' ? open() : new InlineTaskRunner<HostileTasks>(hostileTasks);
    const { port1, port2 } = new MessageChannel();
    port1.on('message', () => port1.postMessage('hello'));
    expect(await runner.run('converse', { port: port2 }, { ...A, transfer: [port2] })).toBe('hello');
    port1.close();
  });

  it('from threads that have no environment variables', async () => {
    expect(await open().run('surroundings', {}, A)).toEqual({ env: [], kept: 0 });
  });
});

describe('a task beyond its budget', () => {
  it('is stopped at its time limit, and the next task has a new thread', async () => {
    const pool = open();
    const fault = await faultOf(pool.run('loop', {}, { ...A, wallMs: 50 }));
    expect([fault.code, fault.detail]).toEqual([
      'limit.exceeded',
      '`loop` needs more than 50 ms: make what it works on smaller',
    ]);
    expect(await pool.run('echo', { text: 'after' }, A)).toEqual({ text: 'after' });
    expect(pool.stats()).toMatchObject({ running: 0, queued: 0, ended_by_budget: 1 });
  });

  it('is counted with its time under its name, as all tasks are', async () => {
    const pool = open();
    expect(pool.stats().busy_ms).toEqual({});
    await pool.run('sleep', { ms: 30 }, A);
    await pool.run('sleep', { ms: 30 }, B);
    await pool.run('fail', {}, A).catch(() => undefined);
    await pool.run('loop', {}, { ...A, wallMs: 50 }).catch(() => undefined);
    const { sleep = 0, loop = 0, fail } = pool.stats().busy_ms;
    // Timers of two threads may differ by a millisecond.
    expect(sleep).toBeGreaterThan(57);
    expect(loop).toBeGreaterThan(48);
    expect(fail).toEqual(expect.any(Number));
    expect(pool.stats().busy_ms).not.toHaveProperty('echo');
  });

  it('is stopped at its memory limit, and a task on another thread goes on', async () => {
    const pool = open();
    const beside = pool.run('sleep', { ms: 2_000 }, B);
    const fault = await faultOf(pool.run('allocate', {}, A));
    expect([fault.code, fault.detail]).toEqual([
      'limit.exceeded',
      '`allocate` needs more than 48 MiB of memory: make what it works on smaller',
    ]);
    expect(await beside).toBe('slept');
    expect(pool.stats().ended_by_budget).toBe(1);
  });

  it('has its time counted from its start, without its wait', async () => {
    const pool = open();
    const first = pool.run('sleep', { ms: 400 }, A);
    expect(await pool.run('sleep', { ms: 1 }, { ...A, wallMs: 300 })).toBe('slept');
    expect(await first).toBe('slept');
  });

  it('is refused before it begins if its input is too large', async () => {
    const pool = open({ inputBytesMax: { echo: 1_000 } });
    const fault = await faultOf(pool.run('echo', { text: 'x'.repeat(1_000) }, A));
    expect([fault.code, fault.detail]).toEqual([
      'limit.exceeded',
      'the input of `echo` is larger than 1000 bytes: make it smaller',
    ]);
    expect(await pool.run('echo', { text: 'x' }, A)).toEqual({ text: 'x' });
  });
});

describe('a thread that crashes', () => {
  it.each(['exit', 'crash', 'recurse'] as const)('by `%s` fails its own task alone', async (task) => {
    const pool = open();
    const beside = pool.run('sleep', { ms: 500 }, B);
    const error = await pool.run(task, {}, A).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(Fault);
    expect(await beside).toBe('slept');
    expect(await pool.run('echo', { text: 'after' }, A)).toEqual({ text: 'after' });
  });
});

describe('a cancellation', () => {
  it('stops the thread of a running task', async () => {
    const pool = open();
    const cancel = new AbortController();
    const work = pool.run('loop', {}, { ...A, signal: cancel.signal }).catch((reason: unknown) => reason);
    await eventually(() => pool.stats().running === 1);
    cancel.abort(new Error('nobody waits'));
    expect(await work).toMatchObject({ message: 'nobody waits' });
    expect(await pool.run('echo', { text: 'after' }, A)).toEqual({ text: 'after' });
    expect(pool.stats().ended_by_budget).toBe(0);
  });

  it('removes a waiting task from the queue', async () => {
    const pool = open();
    const cancel = new AbortController();
    const first = pool.run('sleep', { ms: 300 }, A);
    const second = pool.run('loop', {}, { ...A, signal: cancel.signal }).catch((reason: unknown) => reason);
    await eventually(() => pool.stats().queued === 1);
    cancel.abort(new Error('nobody waits'));
    expect(await second).toMatchObject({ message: 'nobody waits' });
    expect(pool.stats().queued).toBe(0);
    expect(await first).toBe('slept');
  });

  it('before the start prevents the task', async () => {
    const pool = open();
    await expect(pool.run('loop', {}, { ...A, signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
    expect(pool.stats().running).toBe(0);
  });
});

describe('tenants share the threads', () => {
  it('so that a tenant with endless tasks leaves a thread to another', async () => {
    const pool = open({ threads: 3 });
    const flood = Array.from({ length: 6 }, () => pool.run('loop', {}, A).catch(() => 'ended'));
    await eventually(() => pool.stats().running > 0);
    expect(pool.stats()).toMatchObject({ running: 2, queued: 4 });
    expect(await pool.run('echo', { text: 'b' }, B)).toEqual({ text: 'b' });
    await pool.close();
    expect(new Set(await Promise.all(flood))).toEqual(new Set(['ended']));
  });

  it("by turns: a later tenant waits for one task, and not for the other's whole queue", async () => {
    const pool = open();
    const order: string[] = [];
    const run = async (tenantId: string, name: string): Promise<void> => {
      await pool.run('sleep', { ms: 30 }, { tenantId, wallMs: 60_000 });
      order.push(name);
    };
    // Both threads run before the test: one that starts late would delay a tenant.
    await Promise.all(
      ['first', 'second'].map((tenantId) => pool.run('sleep', { ms: 1 }, { tenantId, wallMs: 60_000 })),
    );
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'];
    await Promise.all(names.map((name) => run(name.slice(0, 1), name)));
    expect(order.indexOf('b2')).toBeLessThan(order.indexOf('a5'));
    expect(order.indexOf('c1')).toBeLessThan(order.indexOf('a4'));
    expect(order).toHaveLength(11);
  });

  it('with limits on the queue of one tenant and of all', async () => {
    const pool = open({ queuedPerTenant: 1, queued: 2 });
    const under = ['a', 'a', 'b', 'b', 'c'].map((tenantId) =>
      pool.run('sleep', { ms: 500 }, { tenantId, wallMs: 60_000 }).catch((reason: unknown) => reason),
    );
    const full = await faultOf(pool.run('echo', { text: 'x' }, A));
    expect([full.code, full.detail]).toEqual([
      'overloaded',
      '1 pieces of work of the tenant wait for a thread already: try again later',
    ]);
    const outcomes = await Promise.all(under);
    expect(outcomes.filter((outcome) => outcome === 'slept')).toHaveLength(4);
    expect(outcomes.filter((outcome) => outcome instanceof Fault && outcome.code === 'overloaded')).toHaveLength(1);
  });

  it('is refused if it waits too long for a thread, and the running task goes on', async () => {
    const pool = open();
    await pool.run('echo', { text: 'warm' }, A);
    const under = pool.run('sleep', { ms: 600 }, A);
    const fault = await faultOf(pool.run('echo', { text: 'late' }, { ...A, waitMs: 100 }));
    expect([fault.code, fault.detail]).toEqual(['overloaded', 'no thread was free within 100 ms: try again later']);
    expect(await under).toBe('slept');
    expect(await pool.run('echo', { text: 'next' }, { ...A, waitMs: 10_000 })).toEqual({ text: 'next' });
  });
});

describe('a pool that closes', () => {
  it('stops running and waiting tasks, and accepts no more', async () => {
    const pool = open();
    const works = [pool.run('loop', {}, A), pool.run('loop', {}, A), pool.run('loop', {}, B)].map((work) =>
      faultOf(work),
    );
    await eventually(() => pool.stats().running === 2);
    await pool.close();
    for (const fault of await Promise.all(works))
      expect([fault.code, fault.detail]).toEqual(['overloaded', 'the service is stopping: try again later']);
    expect((await faultOf(pool.run('echo', { text: 'late' }, A))).code).toBe('overloaded');
  });

  it('closes once, however often `close` is called', async () => {
    const pool = open();
    await pool.close();
    await pool.close();
    expect(pool.stats()).toMatchObject({ running: 0, queued: 0 });
  });
});

it('a pool of one thread is refused, since one tenant would use all of it', () => {
  expect(() => open({ threads: 1 })).toThrow('a worker pool has at least 2 threads, and `threads` is 1');
});
