// SPDX-License-Identifier: Apache-2.0
// More points at which calls of HTTP tools fail: around the answer, the report and the kernel.
import { vi } from 'vitest';
import { answers, eventually } from '@writ/stack';
import { ORDER, ShopFaults } from './shop-faults.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The lease of these stacks, and some more. */
const PAST_LEASE_MS = 6_000;

let on: ShopFaults;
beforeAll(async () => {
  on = await ShopFaults.open();
});
beforeEach(() => {
  on.shop.answer = answers(201, { id: 7 });
});
afterEach(() => on.restore());
afterAll(() => on?.close());

const AMBIGUOUS = { tx_outcome: 'ambiguous', attempt: 1 } as const;

it('an executor killed with its answer there and its report unsent: the call is ambiguous', async () => {
  on.shop.answer = (response, request) => {
    on.shop.stack.busProxy('executor').hold('out');
    answers(201, { id: 7 })(response, request);
  };
  const id = await on.propose('createOrder', ORDER);
  await on.untilReceived();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await on.shop.stack.services.executor.kill();
  // What the proxy holds back would still arrive.
  on.shop.stack.busProxy('executor').cut();
  on.shop.stack.busProxy('executor').release();
  await on.shop.stack.services.executor.start();
  await on.expectEnd(id, AMBIGUOUS, 1);
});

it('an executor frozen past its lease with its request out: it is fenced when it thaws', async () => {
  let reply = (): void => undefined;
  on.shop.answer = (response, request) => {
    reply = () => answers(201, { id: 7 })(response, request);
  };
  const id = await on.propose('createOrder', ORDER);
  await on.untilReceived();
  on.shop.stack.services.executor.freeze();
  reply();
  await on.shop.world.until(id, ['ambiguous']);
  on.shop.stack.services.executor.thaw();
  await on.expectEnd(id, AMBIGUOUS, 1);
});

it('a kernel killed with a request out: the gate closes the connection, and the call is ambiguous', async () => {
  on.shop.answer = () => undefined;
  const id = await on.propose('createOrder', ORDER);
  await on.untilReceived();
  await on.shop.stack.services.kernel.kill();
  await new Promise((resolve) => setTimeout(resolve, PAST_LEASE_MS));
  await on.shop.stack.services.kernel.start();
  await on.expectEnd(id, AMBIGUOUS, 1);
});

it('a report whose reply is lost: it is repeated, and the call is committed with its answer', async () => {
  on.shop.answer = (response, request) => {
    on.shop.stack.busProxy('executor').hold('in');
    answers(201, { id: 7 })(response, request);
  };
  const id = await on.propose('createOrder', ORDER);
  await on.shop.world.until(id, ['committed']);
  on.shop.stack.busProxy('executor').cut();
  on.shop.stack.busProxy('executor').release();
  await on.expectEnd(id, { tx_outcome: 'committed', attempt: 1 }, 1);
});

it('a call that only reads is sent again after its executor died, since it changes nothing', async () => {
  on.shop.answer = () => undefined;
  const id = await on.propose('listOrders', {});
  await on.untilReceived();
  await on.shop.stack.services.executor.kill();
  on.shop.answer = answers(200, { orders: [] });
  await on.shop.stack.services.executor.start();
  await on.expectEnd(id, { tx_outcome: 'no_op', attempt: 2 }, 2);
});

it('a cancelled call whose request is out breaks the connection, and is ambiguous', async () => {
  let isBroken = false;
  on.shop.answer = (response) => {
    response.socket!.once('close', () => {
      isBroken = true;
    });
  };
  const id = await on.propose('createOrder', ORDER);
  await on.untilReceived();
  await on.shop.world.agent.post(`/v1/operations/${id}/cancel`);
  await eventually('the connection breaks', () => Promise.resolve(isBroken));
  await on.expectEnd(id, AMBIGUOUS, 1);
});
