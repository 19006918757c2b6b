// SPDX-License-Identifier: Apache-2.0
// A request that was sent: whatever happens to the executor or the token, it is sent once, and no record claims an
// unknown outcome.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  eventually,
  expectConsistent,
  makeWorld,
  mustApproveShown,
  Observer,
  openFakeInternet,
  startStack,
  verifiedReceipt,
  type FakeInternet,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let fakeInternet: FakeInternet;
let posts: string[];
let broken: number;
let stack: Stack;
let world: World;
let observer: Observer;
let token: string;

beforeAll(async () => {
  // The server accepts a request and never answers.
  fakeInternet = await openFakeInternet((request) => {
    posts.push(request.url ?? '');
    request.resume().socket.once('close', () => {
      broken += 1;
    });
  });
  stack = await startStack({
    programs: { executor: [fakeInternet.program] },
    env: { kernel: { WRIT_LEASE_MS: '2000', WRIT_SWEEP_MS: '200' }, executor: fakeInternet.env },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey);
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  fakeInternet?.close();
});
beforeEach(async () => {
  [posts, broken] = [[], 0];
  token = (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['net.egress'],
        fs: [],
        net: [{ domain: '*.outside.example', methods: ['POST'] }],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
});

/** A request that was approved and sent. */
async function sent(): Promise<string> {
  const args = { route: { method: 'POST', url: 'https://api.outside.example/once' }, purpose: 'to try' };
  const held = await world.call('net.egress', args, { capability_token_id: token, idempotency_key: randomUUID() });
  await mustApproveShown(world.operator, held.body.approval_id);
  await eventually('the request', () => Promise.resolve(posts.length > 0));
  return held.body.operation_id as string;
}

it('a request whose token is revoked is aborted within a second, and its call is ambiguous', async () => {
  const id = await sent();
  await world.admin.must(`/v1/capability-tokens/${token}/revoke`);
  await eventually('the connection breaks', () => Promise.resolve(broken > 0), 5_000);
  await expectConsistent(stack, world, observer, id, { tx_outcome: 'ambiguous', attempt: 1 });
  expect(posts).toEqual(['/once']);
});

it('a request whose executor dies is never sent again, and its call is ambiguous', async () => {
  const id = await sent();
  await stack.services.executor.kill();
  const other = await stack.another('executor', {}, [fakeInternet.program]);
  await expectConsistent(stack, world, observer, id, { tx_outcome: 'ambiguous', attempt: 1 });
  expect(posts).toEqual(['/once']);
  // The gate announced the request before its first byte; nothing more is known of it, and the record counts it.
  const { body } = await world.agent.get(`/v1/operations/${id}/requests`);
  expect(body).toMatchObject({
    total: 1,
    items: [
      {
        method: 'POST',
        target: 'https://api.outside.example/once',
        purpose: 'to try',
        outcome: 'unreported',
        status: null,
        address: expect.any(String) as string,
      },
    ],
  });
  expect((await verifiedReceipt(stack, world, id, 'outcome')).record).toMatchObject({
    egress_count: 1,
    egress_hash: body['hash'],
  });
  await other.kill();
});
