// SPDX-License-Identifier: Apache-2.0
// A request that left: whatever becomes of the executor or of the token, it is sent once, and nobody claims to know
// what they can't.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  eventually,
  expectWhole,
  makeWorld,
  mustSayYes,
  Observer,
  openOutside,
  startStack,
  verifiedReceipt,
  type Outside,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let outside: Outside;
let posts: string[];
let broken: number;
let stack: Stack;
let world: World;
let observer: Observer;
let token: string;

beforeAll(async () => {
  // It takes a request and never answers.
  outside = await openOutside((request) => {
    posts.push(request.url ?? '');
    request.resume().socket.once('close', () => {
      broken += 1;
    });
  });
  stack = await startStack({
    programs: { executor: [outside.program] },
    env: { kernel: { WRIT_LEASE_MS: '2000', WRIT_SWEEP_MS: '200' }, executor: outside.env },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey);
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  outside?.close();
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

/** A request that was approved and has left. */
async function sent(): Promise<string> {
  const args = { route: { method: 'POST', url: 'https://api.outside.example/once' }, purpose: 'to try' };
  const held = await world.call('net.egress', args, { capability_token_id: token, idempotency_key: randomUUID() });
  await mustSayYes(world.operator, held.body.approval_id);
  await eventually('the request', () => Promise.resolve(posts.length > 0));
  return held.body.operation_id as string;
}

it('of a token that is revoked breaks off within its second, and the call is ambiguous', async () => {
  const id = await sent();
  await world.admin.must(`/v1/capability-tokens/${token}/revoke`);
  await eventually('the connection breaks', () => Promise.resolve(broken > 0), 5_000);
  await expectWhole(stack, world, observer, id, { tx_outcome: 'ambiguous', attempt: 1 });
  expect(posts).toEqual(['/once']);
});

it('of an executor that dies is never sent again, and the call is ambiguous', async () => {
  const id = await sent();
  await stack.services.executor.kill();
  const other = await stack.another('executor', {}, [outside.program]);
  await expectWhole(stack, world, observer, id, { tx_outcome: 'ambiguous', attempt: 1 });
  expect(posts).toEqual(['/once']);
  // What the gate announced before the first byte left is all that anybody knows, and the record counts it.
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
