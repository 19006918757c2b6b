// SPDX-License-Identifier: Apache-2.0
// A kernel that is killed during an erasure leaves each batch done or not started, and the next kernel continues.
import { vi } from 'vitest';
import { copyOperations } from '@writ/testing';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Two full batches of the kernel, and some more. */
const CALLS = 450;
const BATCH = 200;

let stack: Stack;
let world: World;
let observer: Observer;
let first: string;
beforeAll(async () => {
  stack = await startStack();
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});
beforeEach(async () => {
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  first = (await world.call('fs.read', { path: 'a.txt' }, { session_id: 'ses-1' })).body.operation_id as string;
  // Copies of it, each a millisecond later, so that their order is defined.
  await copyOperations(
    (text, values) => observer.rows(text, values),
    `jsonb_build_object('operation_id', left(o.operation_id, 20) || lpad(n::text, 9, '0'), 'state', 'refused', 'idempotency_key', NULL, 'created_at', o.created_at - $2::integer + n)`,
    'kernel.operation o, generate_series(1, $2::integer - 1) n WHERE o.operation_id = $1',
    [first, CALLS],
  );
  await observer.rows(
    `INSERT INTO kernel.payload (operation_id, tenant_id, args) SELECT operation_id, tenant_id, 'x' FROM kernel.operation WHERE tenant_id = $1 AND operation_id <> $2`,
    [world.tenantId, first],
  );
});
afterEach(async () => {
  await observer.close();
});

const erase = () => world.admin.post('/v1/erasures', { session_id: 'ses-1', reason_code: 'asked' });
const left = async (): Promise<number> =>
  (await observer.rows('SELECT 1 FROM kernel.payload WHERE tenant_id = $1 AND args IS NOT NULL', [world.tenantId]))
    .length;
const marked = async (): Promise<number> =>
  (await observer.rows('SELECT 1 FROM kernel.operation WHERE tenant_id = $1 AND erased IS NOT NULL', [world.tenantId]))
    .length;
const erasures = () =>
  observer.rows<JsonValue>('SELECT state, operations, records FROM kernel.erasure WHERE tenant_id = $1', [
    world.tenantId,
  ]);
async function expectDone(): Promise<void> {
  await eventually('it is done', async () => (await erasures())[0]?.state === 'done', 60_000);
  expect(await erasures()).toEqual([{ state: 'done', operations: CALLS, records: 3 }]);
  expect([await left(), await marked()]).toEqual([0, CALLS]);
  await observer.untilLogged();
  expect(
    await observer.rows(
      `SELECT DISTINCT erased->>'record_id' AS record_id FROM kernel.operation WHERE tenant_id = $1 ORDER BY 1`,
      [world.tenantId],
    ),
  ).toEqual(
    await observer.rows(`SELECT record_id FROM ledger.leaf WHERE tenant_id = $1 AND kind = 'erasure' ORDER BY 1`, [
      world.tenantId,
    ]),
  );
  await verifiedReceipt(stack, world, first);
  expectCleanLog(stack);
}

it('killed before the COMMIT of the first batch: nothing is erased, and a repeated request erases once', async () => {
  const letGo = await observer.hold('LOCK TABLE kernel.outbox IN ACCESS EXCLUSIVE MODE');
  const answer = erase().catch(() => null);
  await observer.untilBlocked('writ_kernel');
  await stack.services.kernel.kill();
  await observer.abort('writ_kernel');
  await letGo();
  expect([await left(), await marked(), await erasures()]).toEqual([CALLS, 0, []]);
  await stack.services.kernel.start();
  await answer;
  const again = await eventually(
    'an answer',
    async () => {
      const output = await erase().catch(() => null);
      return output !== null && output.status < 300 ? output : null;
    },
    60_000,
  );
  expect([200, 202]).toContain(again.status);
  await expectDone();
});

it('killed during a later batch: that batch is rolled back, and the next kernel continues', async () => {
  const [in2] = await observer.rows<{ operation_id: string }>(
    'SELECT operation_id FROM kernel.operation WHERE tenant_id = $1 ORDER BY created_at, operation_id OFFSET $2 LIMIT 1',
    [world.tenantId, BATCH + 50],
  );
  const letGo = await observer.hold('SELECT 1 FROM kernel.operation WHERE operation_id = $1 FOR UPDATE', [
    in2!.operation_id,
  ]);
  expect((await erase()).body).toMatchObject({ state: 'running', operations: BATCH });
  await observer.untilBlocked('writ_kernel');
  await stack.services.kernel.kill();
  await observer.abort('writ_kernel');
  await letGo();
  expect([await left(), await marked(), await erasures()]).toEqual([
    CALLS - BATCH,
    BATCH,
    [{ state: 'running', operations: BATCH, records: 1 }],
  ]);
  await stack.services.kernel.start();
  await expectDone();
});
