// SPDX-License-Identifier: Apache-2.0
// Calls of HTTP tools whose executor dies before and after the request, or whose tool is changed before it: a request
// is never sent twice. tests/fault/src/http-tools.long.spec.ts has the other points.
import { vi } from 'vitest';
import { answers } from '@writ/stack';
import { ORDER, ShopFaults } from './shop-faults.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let on: ShopFaults;
beforeAll(async () => {
  on = await ShopFaults.open();
});
beforeEach(() => {
  on.shop.answer = answers(201, { id: 7 });
});
afterEach(() => on.restore());
afterAll(() => on?.close());

it('an executor killed before its request left: another attempt sends it, and it is sent once', async () => {
  const { untilKnocked } = on.shut();
  const id = await on.propose('createOrder', ORDER);
  await untilKnocked();
  await on.shop.stack.services.executor.kill();
  on.unlock();
  await on.shop.stack.services.executor.start();
  const record = await on.expectEnd(id, { tx_outcome: 'committed', attempt: 2 }, 1);
  // The list names the request of the first attempt, too: the kernel can't know that it never left.
  expect(record).toMatchObject({ egress_count: 2 });
  const { body } = await on.shop.world.agent.get(`/v1/operations/${id}/requests`);
  expect(body.items).toMatchObject([{ outcome: 'unreported' }, { status: 201 }]);
  expect(on.shop.received[0]!.body).toBe('{"amount":5}');
});

it('an executor killed after its request left: the call is ambiguous, and nothing is sent again', async () => {
  on.shop.answer = () => undefined;
  const id = await on.propose('createOrder', ORDER);
  await on.untilReceived();
  await on.shop.stack.services.executor.kill();
  await on.shop.stack.services.executor.start();
  const record = await on.expectEnd(id, { tx_outcome: 'ambiguous', attempt: 1 }, 1);
  expect(record).toMatchObject({ egress_count: 1 });
  const { body } = await on.shop.world.agent.get(`/v1/operations/${id}/requests`);
  expect(body.items).toMatchObject([{ method: 'POST', outcome: 'unreported', status: null }]);
});

it('a tool changed between the decision and the run: nothing leaves, and the call says so', async () => {
  await on.shop.stack.services.executor.kill();
  const id = await on.propose('createOrder', ORDER);
  await on.shop.import({ timeout_ms: 20_000 });
  await on.shop.stack.services.executor.start();
  const ended = await on.shop.world.until(id, ['refused', 'rolled_back']);
  expect(ended.result.error).toMatchObject({ code: 'tool.changed' });
  expect(on.shop.received).toEqual([]);
  expect(await on.shop.call('createOrder', ORDER)).toMatchObject({ tx_outcome: 'committed' });
});
