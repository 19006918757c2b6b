// SPDX-License-Identifier: Apache-2.0
// Functions that a program of the client runs itself: when they run, with what, and what their errors mean.
import { vi } from 'vitest';
import { NoEffectError, Writ } from '@writ/client';
import { makeWorld, sharedStack, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const REFUND = {
  name: 'billing.refund',
  description: 'Refunds a customer.',
  category: 'write',
  mode: 'caller',
  parameters: {
    type: 'object',
    properties: { cents: { type: 'integer', minimum: 1 } },
    required: ['cents'],
    additionalProperties: false,
  },
  result: { type: 'object', properties: { refund: { type: 'string' } }, required: ['refund'] },
};

let stack: SharedStack;
let world: World;
let token: string;
beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey);
  expect((await world.admin.request('PUT', '/v1/tools', { functions: [REFUND] })).body).toMatchObject({ valid: true });
  const grant = { fs: [], net: [], secrets: [], budgets: {}, not_before: 0, expires_at: Date.now() + 3_600_000 };
  token = (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: { ...grant, tools: ['billing.*'] },
    })
  )['capability_token_id'] as string;
});

const agent = (): Writ => new Writ({ url: stack.url, apiKey: world.agent.key });
const fieldsOf = (max_autonomy: 'autopilot' | 'soft_gate', capability_token_id = token) => ({
  fields: { capability_token_id, max_autonomy },
});
/** A function that keeps what it ran with. */
const refunds = (ran: unknown[]) => async (args: Readonly<Record<string, unknown>>) => {
  ran.push(args);
  return { refund: 'r-1' };
};

it('an admitted call runs once, with the arguments that were decided on, and has a receipt', async () => {
  const ran: unknown[] = [];
  const call = await agent().perform('billing.refund', { cents: 5 }, refunds(ran), fieldsOf('autopilot'));
  expect([call.outcome, await call.result(), ran]).toEqual(['ok', { refund: 'r-1' }, [{ cents: 5 }]]);
});

it('a call runs once, and is reported, though the answers to its permit get lost', async () => {
  const lost = new Set(['/v1/permits/redemptions', '/v1/permits/reports']);
  const asked: string[] = [];
  const fetchLosing = async (url: string, init: RequestInit): Promise<Response> => {
    const answer = await fetch(url, init);
    const path = new URL(url).pathname;
    asked.push(path.replace('/v1/permits/', ''));
    // The server has answered, and the program doesn't hear of it.
    if (lost.delete(path)) throw new TypeError('the connection broke');
    return answer;
  };
  const ran: unknown[] = [];
  const losing = new Writ({ url: stack.url, apiKey: world.agent.key, fetch: fetchLosing });
  const call = await losing.perform('billing.refund', { cents: 6 }, refunds(ran), fieldsOf('autopilot'));
  expect([call.outcome, await call.result(), ran]).toEqual(['ok', { refund: 'r-1' }, [{ cents: 6 }]]);
  expect(asked.filter((one) => one.startsWith('re'))).toEqual(['redemptions', 'redemptions', 'reports', 'reports']);
});

it('a call that is not admitted does not run', async () => {
  const ran: unknown[] = [];
  const refused = await agent().perform(
    'billing.refund',
    { cents: 5 },
    refunds(ran),
    fieldsOf('autopilot', world.tokenId),
  );
  expect(refused).toMatchObject({ outcome: 'refused', code: 'token.tool' });
  const malformed = await agent().perform('billing.refund', { cents: 0 }, refunds(ran), fieldsOf('autopilot'));
  expect(malformed).toMatchObject({ outcome: 'refused', code: 'args.invalid' });
  expect(ran).toEqual([]);
});

it('a held call runs after its approval, in another process by its operation alone, and once', async () => {
  const ran: unknown[] = [];
  const held = await agent().perform('billing.refund', { cents: 7 }, refunds(ran), fieldsOf('soft_gate'));
  expect(held.outcome).toBe('held');
  expect(await agent().resume(held.operationId, refunds(ran))).toMatchObject({ outcome: 'held' });
  expect(ran).toEqual([]);
  const person = new Writ({ url: stack.url, apiKey: world.operator.key });
  await person.approvals.approve(await person.approvals.get(held.outcome === 'held' ? held.approvalId : ''));
  await vi.waitFor(async () => expect((await held.operation()).awaits).toBe('caller'), { timeout: 30_000 });
  const resumed = await agent().resume(held.operationId, refunds(ran));
  expect([resumed.outcome, ran]).toEqual(['ok', [{ cents: 7 }]]);
  expect(await agent().resume(held.operationId, refunds(ran))).toMatchObject({ outcome: 'ok' });
  expect(ran).toHaveLength(1);
});

it('a held call that a person denies never runs', async () => {
  const ran: unknown[] = [];
  const held = await agent().perform('billing.refund', { cents: 8 }, refunds(ran), fieldsOf('soft_gate'));
  const person = new Writ({ url: stack.url, apiKey: world.operator.key });
  await person.approvals.deny(held.outcome === 'held' ? held.approvalId : '', { comment: 'no' });
  expect(await agent().resume(held.operationId, refunds(ran))).toMatchObject({
    outcome: 'refused',
    code: 'approval.denied',
  });
  expect(ran).toEqual([]);
});

it.each([
  ['`NoEffectError`: nothing took effect', new NoEffectError('the customer is gone'), 'function.failed'],
  ['any other error: something may have', new Error('the line broke'), 'effect.ambiguous'],
])('a function that throws %s', async (_what, error, code) => {
  const fails = async (): Promise<never> => {
    throw error;
  };
  const call = await agent().perform('billing.refund', { cents: 5 }, fails, fieldsOf('autopilot'));
  expect(call).toMatchObject({ outcome: 'failed', code });
});
