// SPDX-License-Identifier: Apache-2.0
// The console while much happens: ten thousand waiting calls, and a feed of many events a second.
import { setTimeout as sleep } from 'node:timers/promises';
import { Observer, type JsonValue } from '@writ/stack';
import { vi } from 'vitest';
import { ConsoleStack } from './console-stack.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const WAITING = 10_000;
/** How long the feed runs, in milliseconds, and the calls of a second: each is three events. */
const FEED_MS = 6_000;
const CALLS_PER_SECOND = 17;
const EVENTS_PER_SECOND = 50;
/** A task of the main thread of more than this, in milliseconds of its processor time, is felt. */
const TASK_MS_MAX = 50;

let stack: ConsoleStack;
let observer: Observer;
beforeAll(async () => {
  stack = await ConsoleStack.open({ files: { 'a.txt': 'one\n' }, budgets: { calls: 100_000 } });
  observer = new Observer(stack.stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.close();
});

/** Copies of a row, whose changed columns are SQL expressions with the number of the copy in `n`. */
async function copyRow(table: string, key: string, id: unknown, times: number, changed: Record<string, string>) {
  const columns = (
    await observer.rows<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns
       WHERE table_schema = 'kernel' AND table_name = $1 AND is_generated = 'NEVER'`,
      [table],
    )
  ).map(({ column_name }) => column_name);
  await observer.rows(
    `INSERT INTO kernel.${table} (${columns.join(', ')})
     SELECT ${columns.map((column) => changed[column] ?? `r.${column}`).join(', ')}
     FROM kernel.${table} r, generate_series(1, $2::int) n WHERE r.${key} = $1`,
    [id, times],
  );
}
const numbered = (column: string): string => `left(r.${column}, -6) || lpad(n::text, 6, '0')`;

/** A waiting call, many times: as rows, since proposing them would take minutes. */
async function multiply(held: JsonValue, times: number): Promise<void> {
  await copyRow('operation', 'operation_id', held.operation_id, times, {
    operation_id: numbered('operation_id'),
    idempotency_key: 'r.idempotency_key || n',
  });
  await copyRow('approval', 'approval_id', held.approval_id, times, {
    operation_id: numbered('operation_id'),
    approval_id: numbered('approval_id'),
  });
}

it('ten thousand waiting calls are counted, grouped and scrolled through, with few rows in the page', async () => {
  await stack.world.call('fs.write', { path: 'd/a.txt', content: 'a\n' });
  const { body: held } = await stack.world.call('shell.run', { command: 'rm -rf d' });
  await multiply(held, WAITING - 1);
  const { page, troubles } = await stack.person('ann', 'operator');
  await page.getByText('10,000 calls wait').waitFor();
  const rows = page.locator('main a[href*="/approvals/apr_"]');
  await rows.first().waitFor();
  const scroller = page.getByRole('group', { name: 'Approvals' });
  const first = await rows.first().getAttribute('href');
  for (let turn = 0; turn < 20; turn += 1) await scroller.press('End');
  await vi.waitFor(async () => expect(await rows.first().getAttribute('href')).not.toBe(first), 20_000);
  expect(await rows.count()).toBeLessThan(80);
  expect(troubles).toEqual([]);
});

it('a feed of fifty events a second costs no task of the main thread that is felt', async () => {
  const { page, troubles } = await stack.person('ann', 'operator', '/activity');
  await page.getByText('Live', { exact: true }).waitFor();
  const tasks = await stack.tasksOf(page, async () => {
    const calls: Promise<unknown>[] = [];
    const end = Date.now() + FEED_MS;
    while (Date.now() < end) {
      calls.push(stack.world.call('fs.read', { path: 'a.txt' }));
      await sleep(1_000 / CALLS_PER_SECOND);
    }
    await Promise.all(calls);
    return calls.length;
  });
  const events = (tasks.result * 3_000) / FEED_MS;
  const longest = Math.max(...tasks.ms);
  console.log(`${Math.round(events)} events a second: ${tasks.ms.length} tasks, the longest ${longest.toFixed(1)} ms`);
  expect(events).toBeGreaterThanOrEqual(EVENTS_PER_SECOND * 0.9);
  expect(longest).toBeLessThanOrEqual(TASK_MS_MAX);
  await page.getByRole('button', { name: /^Show .* new call/ }).click();
  await page.locator('main a[href*="/activity/op_"]').first().waitFor();
  expect(troubles).toEqual([]);
});
