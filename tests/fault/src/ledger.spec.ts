// SPDX-License-Identifier: Apache-2.0
// The ledger alone, asked over the bus as the kernel asks it: killed at each step of an append, asked again and out of
// order, two replicas at once, and one that can't write down what it signed. Whatever happens, what it answered for is
// in the log at that place, once, and the independent checker finds nothing.
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { eventually, Observer, startStack, type Service, type Stack } from '@writ/stack';
import { Appender, LOGGED_MS, newTenant } from './appender.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let stack: Stack;
let observer: Observer;
let kernel: Appender;

beforeAll(async () => {
  stack = await startStack({ without: ['kernel', 'executor', 'orchestrator'], busProxies: ['ledger'] });
  observer = new Observer(stack);
  kernel = await Appender.of(stack);
});
afterAll(async () => {
  await kernel?.close();
  await observer?.close();
  await stack?.stop();
});
afterEach(async () => {
  await observer.close();
  stack.busProxy('ledger').release();
  if (!stack.services.ledger.isRunning) await stack.services.ledger.start();
});

const leaves = async (): Promise<number> =>
  (await observer.rows<{ n: number }>('SELECT count(*)::int AS n FROM ledger.leaf'))[0]?.n ?? 0;

it.each([
  ['before its rows are written', 'ledger.leaf'],
  ['with its leaves written and nothing committed', 'ledger.root'],
])('killed %s: none of the batch is there, and it is taken when sent again', async (_when, table) => {
  const tenants = [newTenant(), newTenant()];
  const before = tenants.flatMap((tenant) => kernel.sealed(tenant, 3));
  await kernel.untilLogged(before);
  const count = await leaves();
  // Inserting waits for this lock, and reading doesn't.
  const letGo = await observer.hold(`LOCK TABLE ${table} IN SHARE MODE`);
  const records = tenants.flatMap((tenant) => kernel.sealed(tenant, 20));
  const answer = kernel.append(records).then(
    () => 'answered',
    () => 'failed',
  );
  await observer.untilBlocked('writ_ledger');
  await stack.services.ledger.kill();
  await observer.abort('writ_ledger');
  await letGo();
  expect(await answer).toBe('failed');
  expect(await leaves()).toBe(count);
  await stack.services.ledger.start();
  await kernel.untilLogged(records);
  await kernel.expectWhole([...before, ...records]);
});

it('killed with a batch committed and signed, and its answer lost: sent again, it gets the places it has', async () => {
  const records = kernel.sealed(newTenant(), 30);
  stack.busProxy('ledger').hold('out');
  const answer = kernel.append(records).then(
    () => 'answered',
    () => 'failed',
  );
  const ids = records.map(({ record_id }) => record_id);
  const placed = () =>
    observer.rows('SELECT record_id, leaf_index FROM ledger.leaf WHERE record_id = ANY ($1) ORDER BY leaf_index', [
      ids,
    ]);
  await eventually('the leaves', async () => (await placed()).length === records.length, LOGGED_MS);
  const first = await placed();
  await stack.services.ledger.kill();
  stack.busProxy('ledger').cut();
  expect(await answer).toBe('failed');
  await stack.services.ledger.start();
  await kernel.untilLogged(records);
  expect(await placed()).toEqual(first);
  await kernel.expectWhole(records);
});

it('two replicas append to the same logs, one is killed again and again, and records come twice and out of order', async () => {
  const other: Service = await stack.another('ledger', {
    WRIT_LEDGER_MEMORY_FILE: join(stack.folder, 'ledger-2', 'signed'),
  });
  try {
    const tenants = Array.from({ length: 4 }, newTenant);
    const records = tenants.flatMap((tenant) => kernel.sealed(tenant, 60));
    // Each sender takes every record, from another one on and in the other direction.
    const senders = [0, 1, 2, 3].map(async (n) => {
      const turned = [...records.slice(n * 60), ...records.slice(0, n * 60)];
      const mine = n % 2 === 0 ? turned : turned.reverse();
      for (let at = 0; at < mine.length; at += 15) await kernel.untilLogged(mine.slice(at, at + 15));
    });
    const all = Promise.all(senders);
    for (let kills = 0; kills < 3; kills++) await stack.services.ledger.restart();
    await all;
    await kernel.expectWhole(records);
  } finally {
    await other.kill();
  }
});

it("what was signed can't be written down: nothing more is appended, and it goes on by itself when it can", async () => {
  const [first, second] = [kernel.sealed(newTenant(), 3), kernel.sealed(newTenant(), 3)];
  await stack.services.ledger.kill();
  // The file is made anew at the first signature after a start. Where a folder is, no file can be made.
  const inTheWay = join(stack.folder, 'ledger', 'signed.next');
  mkdirSync(inTheWay);
  try {
    await stack.services.ledger.start();
    expect(await kernel.refusalOf(first)).toMatchObject({ code: 'ledger.unavailable' });
    const count = await leaves();
    expect(await kernel.refusalOf(second)).toMatchObject({ code: 'ledger.unavailable' });
    expect(await leaves()).toBe(count);
  } finally {
    rmdirSync(inTheWay);
  }
  await kernel.untilLogged(first);
  await kernel.untilLogged(second);
  await kernel.expectWhole([...first, ...second]);
});
