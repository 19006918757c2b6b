// SPDX-License-Identifier: Apache-2.0
// A freeze holds against a kernel that stops while it places it, and against one that was frozen (SIGSTOP) during a
// decision.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { eventually, expectCleanLog, makeWorld, Observer, startStack, type Stack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const TUNING = { WRIT_LEASE_MS: '4000', WRIT_PERMIT_TTL_MS: '3000', WRIT_SWEEP_MS: '250' };

let stack: Stack;
let world: World;
let observer: Observer;

beforeAll(async () => {
  stack = await startStack({ env: { kernel: TUNING } });
  await stack.another('kernel', TUNING);
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});
afterEach(async () => {
  stack.services.kernel.thaw();
  await observer.close();
  const { body } = await world.admin.get('/v1/freezes?standing=true');
  for (const { freeze_id } of body.items as { freeze_id: string }[])
    await world.admin.must(`/v1/freezes/${freeze_id}/lift`);
});

const freeze = () => world.admin.post('/v1/freezes', { scope: 'tenant', reason: 'it runs wild' });
const write = (path: string, key: string, waitMs = 30_000) =>
  world.call('fs.write', { path, content: key }, { idempotency_key: key }, waitMs);
const endedOf = async (): Promise<number> =>
  (await observer.rows(`SELECT 1 FROM kernel.operation WHERE state = 'committed'`)).length;
const blocked = (count: number): Promise<unknown> =>
  eventually(
    `${count} sessions wait for a lock`,
    async () =>
      (
        await observer.rows(
          `SELECT 1 FROM pg_stat_activity WHERE usename = 'writ_kernel' AND datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).length >= count,
  );
const key = (): string => randomUUID();

it('a kernel that stops while it places a freeze leaves it placed or absent, and blocks no decisions', async () => {
  const letGo = await observer.hold('LOCK TABLE kernel.freeze IN EXCLUSIVE MODE');
  const first = freeze().catch(() => null);
  await blocked(1);
  // The statement continues in the database, whether or not its process does.
  stack.services.kernel.freeze();
  await letGo();
  await first;
  // Either replica may have placed it: after a repeated request there is one freeze, and it holds.
  const again = await eventually(
    'the freeze stands',
    async () => {
      const answer = await freeze().catch(() => null);
      return answer?.status === 201 ? answer : null;
    },
    60_000,
  );
  expect(await observer.rows('SELECT freeze_id FROM kernel.freeze WHERE lifted_at IS NULL')).toEqual([
    { freeze_id: again.body.freeze_id as string },
  ]);
  const refused = await eventually(
    'an answer',
    async () => {
      const answer = await write('x.txt', key()).catch(() => null);
      return answer?.status === 200 ? answer : null;
    },
    60_000,
  );
  expect(refused.body.error.code).toBe('frozen');
  stack.services.kernel.thaw();
  await eventually(
    'one record',
    async () =>
      (
        await observer.rows(
          `SELECT 1 FROM ledger.leaf WHERE kind = 'change' AND convert_from(payload, 'utf8') LIKE '%freeze_placed%'`,
        )
      ).length === 1,
  );
});

it('decisions of a frozen kernel are complete before the freeze, and none commits after it', async () => {
  const [before, calls] = [await endedOf(), Array.from({ length: 16 }, (_, i) => ({ path: `f${i}.txt`, key: key() }))];
  const answers = calls.map((call) => write(call.path, call.key, 5_000).catch(() => null));
  await eventually('some committed', async () => (await endedOf()) > before);
  stack.services.kernel.freeze();
  const openCall = await eventually(
    'the freeze stands',
    async () => {
      const answer = await freeze().catch(() => null);
      return answer?.status === 201 ? answer : null;
    },
    60_000,
  );
  expect(openCall.body.state).toBe('standing');
  const committed = await endedOf();
  stack.services.kernel.thaw();
  await Promise.all(answers);
  // Repeated during the freeze: every call that has not started is refused.
  await Promise.all(calls.map((call) => write(call.path, call.key, 1_000).catch(() => null)));
  await eventually(
    'nothing is under way',
    async () =>
      (await observer.rows(`SELECT 1 FROM kernel.operation WHERE state IN ('dispatched', 'performing', 'performed')`))
        .length === 0,
    30_000,
  );
  expect(await endedOf()).toBe(committed);
  await observer.untilLogged();
  expectCleanLog(stack);
});
