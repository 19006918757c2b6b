// SPDX-License-Identifier: Apache-2.0
// JetStream holds no only copy of anything: its whole directory is deleted while calls run, and no call is lost.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const INLINE = 20;
const SANDBOXED = 10;
const TUNING = { WRIT_LEASE_MS: '4000', WRIT_PERMIT_TTL_MS: '3000', WRIT_SWEEP_MS: '250' };

let stack: Stack;
let world: World;
let observer: Observer;

beforeAll(async () => {
  stack = await startStack({
    env: { kernel: TUNING, executor: { WRIT_SLOTS_INLINE: '2', WRIT_SLOTS_SANDBOXED: '2' } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

interface Call {
  readonly key: string;
  readonly tool: string;
  readonly args: Record<string, string>;
  readonly path: string;
  readonly content: string;
}

const calls: readonly Call[] = [
  ...Array.from({ length: INLINE }, (_, i) => ({
    key: randomUUID(),
    tool: 'fs.write',
    args: { path: `inline-${i}.txt`, content: `${i}\n` },
    path: `inline-${i}.txt`,
    content: `${i}\n`,
  })),
  ...Array.from({ length: SANDBOXED }, (_, i) => ({
    key: randomUUID(),
    tool: 'shell.run',
    args: { command: `sleep 0.2; echo ${i} >> shell-${i}.txt` },
    path: `shell-${i}.txt`,
    content: `${i}\n`,
  })),
];

it('thirty calls in flight lose their wake-up messages, and each ends once, with its records', async () => {
  const propose = ({ tool, args, key }: Call) => world.call(tool, args, { idempotency_key: key }, 0).catch(() => null);
  const first = Promise.all(calls.map(propose));
  // The directory is deleted while some calls have ended, some run, and some wait.
  await eventually('calls on their way', async () => {
    const rows = await observer.rows<{ state: string; n: number }>(
      'SELECT state, count(*)::int AS n FROM kernel.operation GROUP BY 1',
    );
    const count = (...states: string[]): number =>
      rows.filter(({ state }) => states.includes(state)).reduce((sum, { n }) => sum + n, 0);
    return count('committed') > 0 && count('admitted', 'dispatched', 'performing') > 5;
  });
  await stack.nats.kill();
  await stack.nats.deleteStore();
  await stack.nats.start();
  await first;
  // A caller without an answer repeats the call with its key.
  await eventually(
    'every call is there',
    async () => {
      const answers = await Promise.all(calls.map(propose));
      return answers.every((answer) => answer !== null && (answer.status === 200 || answer.status === 202));
    },
    120_000,
  );
  const operations = await eventually(
    'every call has ended',
    async () => {
      const rows = await observer.rows<{ operation_id: string; idempotency_key: string; state: string }>(
        'SELECT operation_id, idempotency_key, state FROM kernel.operation WHERE idempotency_key = ANY ($1)',
        [calls.map(({ key }) => key)],
      );
      return rows.length === calls.length && rows.every(({ state }) => state === 'committed') ? rows : null;
    },
    120_000,
  );
  for (const { path, content } of calls) expect({ path, content: await world.file(path) }).toEqual({ path, content });
  await observer.untilLogged();
  for (const { operation_id } of operations) {
    expect({ operation_id, outcomes: await observer.outcomes(operation_id) }).toEqual({ operation_id, outcomes: 1 });
    await verifiedReceipt(stack, world, operation_id);
  }
  expect(
    await observer.rows('SELECT record_id FROM ledger.leaf GROUP BY log_id, record_id HAVING count(*) > 1'),
  ).toEqual([]);
  expectCleanLog(stack);
});

it('wake-ups resume by themselves: the next call takes no longer than one', async () => {
  const { body } = await world.call('fs.write', { path: 'after.txt', content: 'x' }, {}, 2_500);
  expect(body.tx_outcome).toBe('committed');
});
