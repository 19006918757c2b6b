// SPDX-License-Identifier: Apache-2.0
import { SHELL_RUN, FS_READ, type Budgets, type CapabilityToken } from '@writ/contract';
import { callBudget, decideReservation, remaining, settledUse, type TokenAccount } from './budget.ts';

const account = (id: string, budgets: Budgets, used: Budgets = {}, reserved: Budgets = {}): TokenAccount => ({
  used,
  reserved,
  token: {
    v: 1,
    capability_token_id: id,
    tenant_id: 'ten_a',
    agent_id: 'agt_a',
    parent_id: null,
    workspace_id: null,
    issuer: 'key_a',
    created_at: 0,
    revoked_at: null,
    grant: { tools: ['*'], fs: [], net: [], secrets: [], budgets, not_before: 0, expires_at: 1 },
  } satisfies CapabilityToken,
});

describe('budgets', () => {
  test('the remaining budget is the minimum along the chain, and unlimited dimensions stay absent', () => {
    expect(
      remaining([
        account('cap_a', { calls: 5 }, { calls: 2 }, { calls: 1 }),
        account('cap_b', { calls: 9, cpu_ms: 50 }, { cpu_ms: 60 }),
      ]),
    ).toEqual({ calls: 2, cpu_ms: 0 });
    expect(remaining([account('cap_b', { calls: 1 }), account('cap_a', { calls: 3 })])).toEqual({ calls: 1 });
    expect(remaining([])).toEqual({});
  });

  test('a call of an MCP program may use one processor for all its time', () => {
    const tool = { mutating: false, limits: { ...FS_READ.limits, wall_ms: 60_000, cpu_ms: 10_000 } };
    expect(callBudget(tool).cpu_ms).toBe(10_000);
    expect(callBudget({ ...tool, in_container: true }).cpu_ms).toBe(60_000);
  });

  test('a call reserves the lesser of its own limit and what remains, on bounded dimensions only, in id order', () => {
    expect(
      decideReservation({
        chain: [account('cap_z', { cpu_ms: 40 }), account('cap_a', { calls: 2, cpu_ms: 90 }), account('cap_m', {})],
        wanted: { calls: 1, cpu_ms: 100, wall_ms: 70, llm_tokens: 0 },
      }),
    ).toEqual({
      effect: 'allow',
      limits: { calls: 1, cpu_ms: 40, wall_ms: 70 },
      reservations: [
        { capability_token_id: 'cap_a', amounts: { calls: 1, cpu_ms: 40 } },
        { capability_token_id: 'cap_z', amounts: { cpu_ms: 40 } },
      ],
    });
  });

  test('the order of reservations is that of the ids, whatever the order of the chain', () => {
    const chain = ['cap_a', 'cap_c', 'cap_b'].map((id) => account(id, { calls: 2 }));
    expect(decideReservation({ chain, wanted: { calls: 1 } })).toMatchObject({
      reservations: ['cap_a', 'cap_b', 'cap_c'].map((capability_token_id) => ({ capability_token_id })),
    });
  });

  test('an exhausted dimension refuses a call that needs it and no other', () => {
    const chain = [account('cap_a', { disk_write_bytes: 0, calls: 1 })];
    expect(decideReservation({ chain, wanted: callBudget(SHELL_RUN) })).toMatchObject({
      effect: 'refuse',
      code: 'budget.exhausted',
    });
    expect(decideReservation({ chain, wanted: callBudget(FS_READ) })).toMatchObject({ effect: 'allow' });
  });

  test('a settlement is the actual use, never above the reservation', () => {
    expect(settledUse({ calls: 1, cpu_ms: 40, wall_ms: 10 }, { calls: 1, cpu_ms: 45, llm_tokens: 9 })).toEqual({
      calls: 1,
      cpu_ms: 40,
      wall_ms: 0,
    });
  });
});
