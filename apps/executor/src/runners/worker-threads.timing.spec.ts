// SPDX-License-Identifier: Apache-2.0
//
// The cost of one tenant's call doesn't delay another's: the work of file tools runs on real threads.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { CallLimits, ReportRequest } from '@writ/contract';
import { WorkerPool } from '@writ/worker-pool';
import type { ExecutorTasks } from '../calls/worker-tasks.ts';
import { ScriptedKernel } from '../specs/scripted-kernel.ts';
import { InlineRunner } from './inline-runner.ts';

let kernel: ScriptedKernel;
let pool: WorkerPool<ExecutorTasks>;
beforeAll(() => {
  pool = new WorkerPool({
    filename: new URL('../executor.worker.ts', import.meta.url),
    threads: 2,
    heapMb: 256,
    queuedPerTenant: 32,
    queued: 64,
  });
});
afterAll(() => pool.close());
beforeEach(async () => {
  kernel = await new ScriptedKernel().start();
  kernel.work = pool;
  kernel.leaseMs = 60_000;
});
afterEach(() => kernel.close());

const LIMITS: CallLimits = {
  wall_ms: 30_000,
  cpu_ms: 30_000,
  memory_bytes: 1 << 30,
  pids: 10,
  disk_write_bytes: 1 << 30,
  output_bytes: 200_000,
};
/** A search of about ten seconds: it needs a simulation of all states of the expression. */
const SLOW = { pattern: 'a.{200}[xz]', regex: true };
const LETTERS = lettersOf(1024 * 1024);

/** Pseudo-random letters, so that the states of an expression can't be cached; the generator has a fixed seed. */
function lettersOf(length: number): string {
  const letters = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    letters[at] = (state & 0x10000) === 0 ? 0x61 : 0x62;
  }
  return letters.toString('latin1');
}

async function run(
  toolId: string,
  args: Record<string, unknown>,
  root: string,
  limits: Partial<CallLimits> = {},
): Promise<ReportRequest | undefined> {
  const executor = kernel.executor([new InlineRunner(kernel.blobs, () => performance.now())]);
  await executor.run(kernel.order(toolId, args, root, { redemption: { limits: { ...LIMITS, ...limits } } }), 'inline');
  return kernel.reports.at(-1);
}

const RESOLUTION_MS = 5;

/** The longest delay of the event loop during the work, in milliseconds. */
async function eventLoopDelayOf(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await work();
  // The monitor measures on a timer, which has to fire after the delay.
  await sleep(4 * RESOLUTION_MS);
  delay.disable();
  return delay.max / 1e6;
}

it('a search with an exponential expression is refused at once', async () => {
  const root = await kernel.tree({ a: 'a'.repeat(4 * 1024 * 1024) });
  expect(await run('fs.search', { pattern: '(?:a?){1000}a{1000}', regex: true }, root)).toMatchObject({
    ended: 'failed',
    error: { code: 'search.pattern', message: expect.stringContaining('instructions') as string },
  });
});

it("a search that exceeds its call's time ends as `limit.exceeded`, is charged, and does not delay the event loop", async () => {
  const root = await kernel.tree({ a: LETTERS });
  let report: ReportRequest | undefined;
  const delay = await eventLoopDelayOf(async () => {
    report = await run('fs.search', SLOW, root, { wall_ms: 1_500 });
  });
  expect(report).toMatchObject({
    ended: 'limit',
    error: { code: 'limit.exceeded', message: expect.stringContaining('`fs.search`') as string },
    delta: null,
    result: null,
  });
  expect(report?.usage.cpu_ms).toBeGreaterThanOrEqual(1_000);
  // On the event loop it would be the whole 1,500 ms; the bound leaves a busy machine time to start a thread.
  expect(delay).toBeLessThan(500);
});

it('a cancelled search ends with its thread and is released', async () => {
  const root = await kernel.tree({ a: LETTERS });
  const began = performance.now();
  const ended = run('fs.search', SLOW, root);
  while (pool.stats().running === 0) await turn();
  kernel.running.stopAll();
  await ended;
  expect(pool.stats()).toMatchObject({ running: 0, queued: 0 });
  expect(performance.now() - began).toBeLessThan(LIMITS.wall_ms);
  expect(kernel.released).toHaveLength(1);
  expect(kernel.reports).toHaveLength(0);
});

it('edits of every letter of eight mebibytes are right and do not delay the event loop', async () => {
  const root = await kernel.tree({ a: 'a'.repeat(8 * 1024 * 1024) });
  const edits = Array.from({ length: 16 }, (_, n) =>
    n % 2 === 0 ? { find: 'a', replace: 'b', count: 'all' } : { find: 'b', replace: 'a', count: 'all' },
  );
  edits.push({ find: 'a', replace: 'c', count: 'all' });
  let report: ReportRequest | undefined;
  const delay = await eventLoopDelayOf(async () => {
    report = await run('fs.edit', { path: 'a', edits }, root);
  });
  expect(report).toMatchObject({
    ended: 'exited',
    result: { path: 'a', replacements: 17 * 8 * 1024 * 1024, size: 8 * 1024 * 1024 },
  });
  expect(delay).toBeLessThan(500);
});

it('a large file is read on a thread with the same result form as a small one', async () => {
  const root = await kernel.tree({ large: `${'line\n'.repeat(300_000)}last`, small: 'one\ntwo\n' });
  expect(await run('fs.read', { path: 'large', offset: 299_999 }, root)).toMatchObject({
    ended: 'exited',
    result: { content: 'line\nlast', lines: 300_001, truncated: false },
  });
  expect(await run('fs.read', { path: 'small', offset: 1 }, root)).toMatchObject({
    ended: 'exited',
    result: { content: 'two\n', lines: 2, truncated: false },
  });
});
