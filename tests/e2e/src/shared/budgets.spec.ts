// SPDX-License-Identifier: Apache-2.0
// Budgets per day, and usage by day, as an administrator sets and reads them.
import { vi } from 'vitest';
import { makeWorld, sharedStack, verifiedReceipt, type JsonValue, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
beforeAll(async () => {
  stack = await sharedStack();
});
beforeEach(async () => {
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
});

const read = async (more: Record<string, unknown> = {}) => (await world.call('fs.read', { path: 'a.txt' }, more)).body;
const setBudget = async (limit: number): Promise<JsonValue> => {
  const subject = { kind: 'agent', id: world.agentId };
  const body = { subject, period: 'day', measure: 'calls', limit };
  const answer = await world.admin.request('PUT', '/v1/budgets', body);
  expect(answer.status).toBe(200);
  return answer.body;
};

it('a budget refuses the call after the last one that it allows, with a receipt, until an administrator raises it', async () => {
  const { budget_id, resets_at } = await setBudget(2);
  const first = await read({ idempotency_key: 'first' });
  expect([first.status, (await read()).status]).toEqual(['ok', 'ok']);
  const refused = await read();
  expect(refused).toMatchObject({
    status: 'error',
    error: { code: 'budget.period', hint: expect.stringContaining(new Date(resets_at as number).toISOString()) },
  });
  expect(refused.error.message).toContain(budget_id);
  const { record } = await verifiedReceipt(stack, world, refused.operation_id as string);
  expect(record).toMatchObject({ verdict: 'refused', fault_code: 'budget.period' });
  expect(await read({ idempotency_key: 'first' })).toMatchObject({ operation_id: first.operation_id, status: 'ok' });
  expect((await world.admin.get(`/v1/budgets/${budget_id as string}`)).body).toMatchObject({ used: 2, limit: 2 });

  expect(await setBudget(3)).toMatchObject({ budget_id, used: 2 });
  expect([(await read()).status, (await read()).status]).toEqual(['ok', 'error']);
  const { status } = await world.admin.request('DELETE', `/v1/budgets/${budget_id as string}`);
  expect([status, (await read()).status]).toEqual([200, 'ok']);
  expect((await world.admin.get('/v1/budgets')).body).toMatchObject({ items: [] });
});

it('usage by day counts what was called by agent, person, key, tool and outcome, page by page', async () => {
  await read();
  await read();
  await world.call('fs.read', { path: 'nothing.txt' });
  await world.call('fs.unheard_of', {});
  const day = new Date().toISOString().slice(0, 10);
  const ask = async (query: string) => (await world.admin.get(`/v1/usage/calls?${query}`)).body;
  expect((await ask('by=tool,outcome')).items).toMatchObject([
    { tool_id: 'fs.read', outcome: 'no_op', calls: 3, day: null },
    { tool_id: 'fs.unheard_of', outcome: 'refused', calls: 1 },
  ]);
  expect((await ask('')).items).toMatchObject([{ day, agent_id: null, calls: 4 }]);
  const by = 'by=day,agent,person,key,tool,outcome';
  const first = await ask(`${by}&limit=1`);
  expect(first.items).toMatchObject([{ day, agent_id: world.agentId, tool_id: 'fs.read', calls: 3 }]);
  const second = await ask(`${by}&limit=1&cursor=${first.next_cursor as string}`);
  expect(second).toMatchObject({ items: [{ tool_id: 'fs.unheard_of' }], next_cursor: null });
  for (const query of ['cursor=x', 'by=colour', 'from=2026-02-30', 'from=2020-01-01&to=2026-01-01', 'to=yesterday'])
    expect((await world.admin.get(`/v1/usage/calls?${query}`)).status).toBe(400);
});
