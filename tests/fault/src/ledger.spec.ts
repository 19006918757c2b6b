// SPDX-License-Identifier: Apache-2.0
// The ledger alone, called over the bus as the kernel does: killed at each step of an append, with repeated and
// reordered requests, with two replicas, and unable to write its memory file. In each case an acknowledged record is in
// the log at that index, once, and the checker finds nothing.
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
])('killed %s: none of the batch is stored, and a repeated request appends it', async (_when, table) => {
  const tenants = [newTenant(), newTenant()];
  const before = tenants.flatMap((tenant) => kernel.sealed(tenant, 3));
  await kernel.untilLogged(before);
  const count = await leaves();
  // Inserts wait for this lock; reads don't.
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
  await kernel.expectConsistent([...before, ...records]);
});

it('killed with a batch committed and its answer lost: a repeated request gets the same indexes', async () => {
  const records = kernel.sealed(newTenant(), 30);
  stack.busProxy('ledger').hold('out');
  const answer = kernel.append(records).then(
    () => 'answered',
    () => 'failed',
  );
  const ids = records.map(({ record_id }) => record_id);
  const openCall = () =>
    observer.rows('SELECT record_id, leaf_index FROM ledger.leaf WHERE record_id = ANY ($1) ORDER BY leaf_index', [
      ids,
    ]);
  await eventually('the leaves', async () => (await openCall()).length === records.length, LOGGED_MS);
  const first = await openCall();
  await stack.services.ledger.kill();
  stack.busProxy('ledger').cut();
  expect(await answer).toBe('failed');
  await stack.services.ledger.start();
  await kernel.untilLogged(records);
  expect(await openCall()).toEqual(first);
  await kernel.expectConsistent(records);
});

it('two replicas, of which one is killed repeatedly, append repeated and reordered records correctly', async () => {
  const other: Service = await stack.another('ledger', {
    WRIT_LEDGER_MEMORY_FILE: join(stack.folder, 'ledger-2', 'signed'),
  });
  try {
    const tenants = Array.from({ length: 4 }, newTenant);
    const records = tenants.flatMap((tenant) => kernel.sealed(tenant, 60));
    // Each sender sends every record, from another start and in the other direction.
    const senders = [0, 1, 2, 3].map(async (n) => {
      const turned = [...records.slice(n * 60), ...records.slice(0, n * 60)];
      const mine = n % 2 === 0 ? turned : turned.reverse();
      for (let at = 0; at < mine.length; at += 15) await kernel.untilLogged(mine.slice(at, at + 15));
    });
    const all = Promise.all(senders);
    for (let kills = 0; kills < 3; kills++) await stack.services.ledger.restart();
    await all;
    await kernel.expectConsistent(records);
  } finally {
    await other.kill();
  }
});

it('an unwritable memory file stops all appends, and the ledger resumes when it can write it', async () => {
  const [first, second] = [kernel.sealed(newTenant(), 3), kernel.sealed(newTenant(), 3)];
  await stack.services.ledger.kill();
  // The first signature after a start creates the file anew. A folder of that name prevents it.
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
  await kernel.expectConsistent([...first, ...second]);
});
