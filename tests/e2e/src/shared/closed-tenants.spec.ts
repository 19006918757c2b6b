// SPDX-License-Identifier: Apache-2.0
// The end of a tenant through the API, while a call runs and another one waits.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { makeWorld, sharedStack, type SharedStack, type World } from '@writ/stack';
import { GuideFolder } from '../guide.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
beforeAll(async () => {
  stack = await sharedStack();
});
beforeEach(async () => {
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'first\n' } });
});
const platform = () => world.admin.as(stack.keys.platformKey);
const close = () => platform().must(`/v1/tenants/${world.tenantId}/close`, { reason: 'the contract ended' });

it('every command of docs/how-to/tenants.md works as the guide describes', async () => {
  const folder = await GuideFolder.open(stack);
  try {
    expect(await folder.run('how-to/tenants.md')).toMatch(/state +closed\n[^]*reason +the project is over/);
  } finally {
    folder.remove();
  }
});

it('a closed tenant ends its calls, opens to none of its keys, and its records verify for the platform key', async () => {
  const held = await world.call(
    'fs.write',
    { path: 'b.txt', content: 'x' },
    { max_autonomy: 'soft_gate', idempotency_key: randomUUID() },
  );
  expect(held.body.state).toBe('held');
  const running = await world.call(
    'shell.run',
    { command: 'sleep 60; echo late > a.txt' },
    { idempotency_key: randomUUID() },
    0,
  );
  await world.until(running.body.operation_id as string, ['performing']);
  expect(await close()).toMatchObject({ state: 'closed', close_reason: 'the contract ended' });
  for (const api of [world.admin, world.operator, world.agent]) {
    const { status, body } = await api.get('/v1/operations');
    expect([status, body.code]).toEqual(
      expect.arrayContaining([expect.toBeOneOf([423, 401]), expect.toBeOneOf(['tenant.closed', 'auth.invalid'])]),
    );
  }
  const path = `/v1/tenants/${world.tenantId}/records`;
  const records = async (): Promise<Record<string, unknown>[]> =>
    (await platform().get(`${path}?limit=200`)).body.items as Record<string, unknown>[];
  await vi.waitFor(
    async () => {
      const ended = (await records()).filter(({ outcome }) => outcome === 'rolled_back');
      expect(ended.map(({ operation_id }) => operation_id)).toEqual(
        expect.arrayContaining([held.body.operation_id, running.body.operation_id]),
      );
    },
    { timeout: 60_000, interval: 200 },
  );
  const closing = (await records()).find(({ type }) => type === 'change');
  expect(closing).toBeDefined();
  const receipt = await platform().get(`${path}/${String((await records())[0]?.['leaf_index'])}/receipt`);
  expect(receipt.status).toBe(200);
});

it('the platform key reads no records of a tenant that is open', async () => {
  expect((await platform().get(`/v1/tenants/${world.tenantId}/records`)).body.code).toBe('conflict');
  expect((await platform().get(`/v1/tenants/${world.tenantId}/records/0/receipt`)).body.code).toBe('conflict');
  expect(await platform().get(`/v1/tenants/${world.tenantId}`)).toMatchObject({ status: 200, body: { state: 'open' } });
  expect((await world.admin.get(`/v1/tenants/${world.tenantId}`)).body.code).toBe('auth.role');
});
