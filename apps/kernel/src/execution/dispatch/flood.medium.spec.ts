// SPDX-License-Identifier: Apache-2.0
// The real dispatcher, on a real database and the test's clock: how long a tenant's calls wait for a slot beside
// another tenant that always has more waiting.
import type { Lane } from '@writ/contract';
import { copyOperations } from '@writ/testing';
import { newId } from '@writ/nest-kit';
import type { DispatchedCall } from '../../foundation/database/functions/dispatch.ts';
import { PERMIT_TTL_MS } from '../../specs/test-executor.ts';
import { openTestKernel, type TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { Dispatcher, Slots, type PermitIssuer } from './index.ts';

const TAKES_MS = 40;
const VICTIM_EVERY_MS = 200;
const VICTIM_CALLS = 12;
/** Calls of the flood that wait at any time: more than there are slots. */
const WAITING = 20;

let kernel: TestKernel;
beforeEach(async () => {
  kernel = await openTestKernel();
});
afterEach(async () => {
  await kernel.close();
});

/** One executor that runs permits in the order in which they came, and needs 40 ms for each. */
class Executor {
  now = 0;
  readonly slots = new Slots(() => this.now);
  readonly queue: DispatchedCall[] = [];
  readonly running: { readonly call: DispatchedCall; readonly until: number }[] = [];
  readonly startedAt = new Map<string, number>();
  readonly #id = newId('executor');
  readonly #count: number;
  readonly #takes: (call: DispatchedCall) => number;

  constructor(count: number, takes: (call: DispatchedCall) => number) {
    this.#count = count;
    this.#takes = takes;
    this.say();
  }

  say(): void {
    const free = this.#count - this.running.length;
    this.slots.note({ v: 1, executor_id: this.#id, inline: free, sandboxed: free });
  }

  async take(): Promise<void> {
    while (this.running.length < this.#count) {
      const call = this.queue.shift();
      if (call === undefined) break;
      this.running.push({ call, until: this.now + this.#takes(call) });
      this.startedAt.set(call.operation_id, this.now);
      await mark(call.operation_id, 'performing');
    }
    this.say();
  }
}

/** Moves a call to a state that the dispatcher doesn't write, without the trigger. */
async function mark(operationId: string, state: 'performing' | 'gone'): Promise<void> {
  if (state === 'gone') await kernel.admin.query('DELETE FROM kernel.operation WHERE operation_id = $1', [operationId]);
  else
    await kernel.admin.query(
      `UPDATE kernel.operation SET state = 'performing', executor_id = 'exc', nonce = 'n', lease_until = 9e12 WHERE operation_id = $1`,
      [operationId],
    );
}

/** Admits one call, as a copy of an earlier one. */
async function copy(of: string, lane: Lane): Promise<string> {
  const id = newId('operation');
  await copyOperations(
    async (text, values) => (await kernel.admin.query(text, values)).rows,
    `jsonb_build_object('operation_id', $2::text, 'lane', $3::text, 'deadline', NULL, 'created_at', kernel.now_ms())`,
    'kernel.operation o WHERE o.operation_id = $1',
    [of, id, lane],
  );
  return id;
}

async function patternOf(tenant: TestTenant): Promise<string> {
  const call = tenant.call(await tenant.token());
  await kernel.admit.run(call, null);
  // Stored to be copied, where no lane looks.
  await kernel.admin.query('UPDATE kernel.operation SET deadline = 1 WHERE operation_id = $1', [call.operation_id]);
  return call.operation_id;
}

/** How long each call of the flood takes. */
interface Flood {
  readonly takesMs: number;
  readonly beginsMs: number;
}

/** The times of the victim's calls from their admission to their end. */
async function play(lane: Lane, slots: number, flood: Flood | null, victimCalls = VICTIM_CALLS): Promise<number[]> {
  const [victim, flooder] = [await kernel.newTenant(), await kernel.newTenant()];
  for (const tenant of [victim, flooder]) await tenant.write({ 'a.txt': 'hello' });
  await kernel.admin.query('ALTER TABLE kernel.operation ENABLE TRIGGER ALL');
  const [victims, floods] = [await patternOf(victim), await patternOf(flooder)];
  await kernel.admin.query('ALTER TABLE kernel.operation DISABLE TRIGGER ALL');
  const executor = new Executor(slots, ({ tenant_id }) =>
    tenant_id === flooder.tenantId ? (flood?.takesMs ?? 0) : TAKES_MS,
  );
  const permitIssuer = {
    issue: async (_lane: Lane, _mode: string, call: DispatchedCall) => {
      executor.queue.push(call);
    },
  } as unknown as PermitIssuer;
  const dispatcher = new Dispatcher(kernel.workers, permitIssuer, executor.slots, {
    permitTtlMs: PERMIT_TTL_MS,
    report: (error) => {
      throw error;
    },
    now: () => executor.now,
  });
  const arrivals = new Map<string, number>();
  const turn = async (): Promise<void> => {
    if (flood !== null && executor.now >= flood.beginsMs) await topUp(floods, lane);
    executor.say();
    dispatcher.wake(lane);
    await dispatcher.settled();
    await executor.take();
  };
  while (arrivals.size < victimCalls || [...arrivals.keys()].some((id) => !executor.startedAt.has(id))) {
    const nextVictim = arrivals.size < victimCalls ? arrivals.size * VICTIM_EVERY_MS + 7 : Infinity;
    const nextEnd = Math.min(...executor.running.map(({ until }) => until), executor.now + TAKES_MS);
    executor.now = Math.min(nextVictim, nextEnd);
    if (executor.now === nextVictim) arrivals.set(await copy(victims, lane), executor.now);
    for (const ended of executor.running.filter(({ until }) => until <= executor.now)) {
      executor.running.splice(executor.running.indexOf(ended), 1);
      await mark(ended.call.operation_id, 'gone');
    }
    await turn();
  }
  return [...arrivals].map(([id, at]) => Number(executor.startedAt.get(id)) + TAKES_MS - at);
}

async function topUp(pattern: string, lane: Lane): Promise<void> {
  const { rows } = await kernel.admin.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM kernel.operation o JOIN kernel.operation p ON p.tenant_id = o.tenant_id AND p.operation_id = $1 WHERE o.state = 'admitted' AND o.deadline IS NULL`,
    [pattern],
  );
  for (let n = rows[0]?.n ?? 0; n < WAITING; n++) await copy(pattern, lane);
}

const p95 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Infinity;

test.each([
  ['inline', 8],
  ['sandboxed', 2],
] as const)(
  "beside a tenant that always has calls waiting, another's call in the %s lane takes at most 1.1 times as long as alone",
  async (lane, slots) => {
    const alone = await play(lane, slots, null);
    const beside = await play(lane, slots, { takesMs: TAKES_MS, beginsMs: 0 });
    expect(p95(alone)).toBe(TAKES_MS);
    // The first one finds every slot in use: its tenant was not seen before.
    expect(p95(beside.slice(1)) / p95(alone)).toBeLessThanOrEqual(1.1);
  },
  120_000,
);

/** Longer than a tenant without a dispatched call is remembered. */
const LONG_MS = 12_000;
/** So many that calls of the flood end, and more of them are dispatched, several times. */
const LONG_CALLS = 150;

test("calls that take longer than a tenant is remembered never fill the inline lane before another's calls", async () => {
  const beside = await play('inline', 8, { takesMs: LONG_MS, beginsMs: VICTIM_EVERY_MS }, LONG_CALLS);
  expect(Math.max(...beside)).toBeLessThanOrEqual(TAKES_MS * 1.1);
}, 120_000);
