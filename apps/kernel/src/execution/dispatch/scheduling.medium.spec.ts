// SPDX-License-Identifier: Apache-2.0
// The order in which the calls of a tenant are dispatched, and the slots that are kept for interactive ones.
import { SCHEDULING_CLASSES, type SchedulingClass } from '@writ/contract';
import { rankOf } from '@writ/fairness';
import { newId } from '@writ/nest-kit';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { openExecution, PERMIT_TTL_MS, type TestExecution } from '../../specs/test-executor.ts';
import { openTestKernel, type TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { Dispatcher, Slots } from './index.ts';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
beforeEach(async () => {
  kernel = await openTestKernel();
  run = openExecution(kernel);
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
});
afterEach(async () => {
  await run.close();
  await kernel.close();
});

/** Admits a call of the class, which arrived so many milliseconds ago. */
async function admit(scheduling_class: SchedulingClass, ageMs = 0, of = tenant, by = token): Promise<string> {
  const call = of.call(by, { task_class: scheduling_class });
  const { operation_id } = call;
  await kernel.admit.run(call, null);
  await of.query('UPDATE kernel.operation SET created_at = created_at - $2 WHERE operation_id = $1', [
    operation_id,
    ageMs,
  ]);
  return operation_id;
}

const admitMany = async (count: number, scheduling_class: SchedulingClass, ageMs = 0): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await admit(scheduling_class, ageMs));
  return ids;
};

/** Moves what was dispatched on, so that it no longer counts as outstanding. */
const redeemAll = (): Promise<unknown> =>
  kernel.admin.query(
    `UPDATE kernel.operation SET state = 'performing', executor_id = 'exc', nonce = 'n', lease_until = 9e12 WHERE state = 'dispatched'`,
  );

/** Dispatches so many calls at most, and returns those that were. */
async function dispatch(outstanding: number, background: number | null = null): Promise<string[]> {
  const { calls } = await kernelSql.dispatchByClass(kernel.workers.pool, {
    lane: 'inline',
    outstanding,
    ttl_ms: PERMIT_TTL_MS,
    after: '',
    left: 0,
    most: null,
    alone: null,
    background,
  });
  await redeemAll();
  return calls.map(({ operation_id }) => operation_id);
}

async function dispatchOneByOne(count: number): Promise<string[]> {
  const order: string[] = [];
  for (let n = 0; n < count; n++) order.push(...(await dispatch(1)));
  return order;
}

const newDispatcher = (slotCount: number, now: () => number = () => 0): Dispatcher => {
  const slots = new Slots(() => 0);
  slots.note({
    v: 1,
    executor_id: newId('executor'),
    inline: slotCount,
    sandboxed: 0,
    assignable: { public_key: '', mark: 'life.1' },
  });
  return new Dispatcher(kernel.workers, run.desk, slots, {
    permitTtlMs: PERMIT_TTL_MS,
    report: (error) => run.faults.push(error),
    now,
  });
};
const pass = async (dispatcher: Dispatcher): Promise<void> => {
  dispatcher.wake('inline');
  await dispatcher.settled();
};
const underWay = async (scheduling_class: SchedulingClass): Promise<number> => {
  const { rows } = await kernel.admin.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM kernel.operation WHERE state IN ('dispatched', 'performing') AND scheduling_class = $1`,
    [scheduling_class],
  );
  return rows[0]?.n ?? 0;
};

describe("the order of a tenant's waiting calls", () => {
  it('is interactive, background, maintenance for calls that arrived together', async () => {
    const [maintenance, background, interactive] = [
      await admit('maintenance'),
      await admit('background'),
      await admit('interactive'),
    ];
    expect(await dispatchOneByOne(3)).toEqual([interactive, background, maintenance]);
  });

  it('lets a background call that has waited for 30 s go before interactive calls that arrived later', async () => {
    const [younger, aged, older] = [
      await admit('background', 29_000),
      await admit('background', 31_000),
      await admit('interactive', 40_000),
    ];
    const interactive = await admit('interactive');
    expect(await dispatchOneByOne(4)).toEqual([older, aged, interactive, younger]);
  });

  it('is that of `rankOf` for calls of any class and age, one by one and many at once', async () => {
    const calls = [];
    for (let n = 0; n < 24; n++) {
      const scheduling_class = SCHEDULING_CLASSES[n % 3] as SchedulingClass;
      calls.push({ id: await admit(scheduling_class, ((n * 7_919) % 400) * 1_000), scheduling_class });
    }
    const rows = await Promise.all(calls.map(async ({ id }) => await tenant.row(id)));
    const expected = rows
      .map((row) => ({
        id: String(row.operation_id),
        rank: rankOf({ scheduling_class: row.scheduling_class, arrived_at: Number(row.created_at) }),
      }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ id }) => id);
    expect(await dispatchOneByOne(12)).toEqual(expected.slice(0, 12));
    expect(new Set(await dispatch(8))).toEqual(new Set(expected.slice(12, 20)));
    expect(await dispatchOneByOne(4)).toEqual(expected.slice(20));
  });

  it('starves nothing: an aged background call is before every interactive call that arrives from then on', async () => {
    const background = await admit('background', 29_000);
    const before = await admitMany(3, 'interactive');
    // Two seconds pass.
    await tenant.query(`UPDATE kernel.operation SET created_at = created_at - 2000 WHERE state = 'admitted'`, []);
    const after = await admitMany(3, 'interactive');
    expect(await dispatchOneByOne(7)).toEqual([...before, background, ...after]);
  });

  it('leaves the turns of tenants as they are: background calls of one take turns with interactive ones of another', async () => {
    const other = await kernel.newTenant();
    await other.write({ 'a.txt': 'hello' });
    const theirs = await other.token();
    for (let n = 0; n < 4; n++) {
      await admit('background');
      await admit('interactive', 0, other, theirs);
    }
    await dispatch(4);
    expect([await underWay('background'), await underWay('interactive')]).toEqual([2, 2]);
  });
});

describe('slots that are kept for interactive calls', () => {
  it('are a quarter of the lane, once an interactive call was seen: background calls leave them free', async () => {
    const dispatcher = newDispatcher(8);
    await admit('interactive');
    await admitMany(12, 'background');
    await pass(dispatcher);
    expect([await underWay('interactive'), await underWay('background')]).toEqual([1, 12]);
    await redeemAll();
    await kernel.admin.query(`DELETE FROM kernel.operation WHERE state = 'performing'`);
    await admitMany(12, 'background');
    await pass(dispatcher);
    expect(await underWay('background')).toBe(6);
    await dispatcher.stop();
  });

  it('go to an interactive call at once, also behind background calls that have aged', async () => {
    const dispatcher = newDispatcher(8);
    dispatcher.reserveSlot('inline', tenant.tenantId, 'interactive');
    await admitMany(10, 'background', 60_000);
    await pass(dispatcher);
    expect(await underWay('background')).toBe(6);
    const interactive = await admit('interactive');
    await pass(dispatcher);
    expect((await tenant.row(interactive)).state).toBe('dispatched');
    expect(await underWay('background')).toBe(6);
    await dispatcher.stop();
  });

  it('are used by background calls in a lane without interactive calls, and again five minutes after the last one', async () => {
    let now = 0;
    const dispatcher = newDispatcher(4, () => now);
    dispatcher.reserveSlot('inline', tenant.tenantId, 'interactive');
    await admitMany(8, 'maintenance');
    now = 300_000;
    await pass(dispatcher);
    expect(await underWay('maintenance')).toBe(3);
    now = 300_001;
    await pass(dispatcher);
    // Two permits for each slot that isn't reserved for the call above.
    expect(await underWay('maintenance')).toBe(6);
    await dispatcher.stop();
  });

  it('are none in a lane of one slot', async () => {
    const dispatcher = newDispatcher(1);
    await admit('interactive');
    await pass(dispatcher);
    await redeemAll();
    await admitMany(2, 'background');
    await pass(dispatcher);
    expect(await underWay('background')).toBe(2);
    await dispatcher.stop();
  });

  it('are not assigned to a call of another class directly', async () => {
    const dispatcher = newDispatcher(8);
    const reserve = (of: SchedulingClass): boolean => dispatcher.reserveSlot('inline', tenant.tenantId, of) !== null;
    expect(reserve('background')).toBe(true);
    expect(reserve('interactive')).toBe(true);
    expect([reserve('background'), reserve('maintenance'), reserve('interactive')]).toEqual([false, false, true]);
    await dispatcher.stop();
  });
});

describe("a tenant's queue of waiting calls", () => {
  it('is full for background calls at three quarters, and takes interactive calls up to its limit', async () => {
    await tenant.query('UPDATE kernel.tenant SET waiting_max = 40 WHERE tenant_id = $1', [tenant.tenantId]);
    await admitMany(30, 'background');
    await expect(admit('background')).rejects.toMatchObject({ code: 'queue.full' });
    await expect(admit('maintenance')).rejects.toMatchObject({ code: 'queue.full' });
    await admitMany(10, 'interactive');
    await expect(admit('interactive')).rejects.toMatchObject({ code: 'queue.full' });
  });
});
