// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, type Budgets } from '@writ/contract';
import fc from 'fast-check';
import { decideReservation, settledUse, type TokenAccount } from './budget.ts';

const amounts: fc.Arbitrary<Budgets> = fc.record(
  { calls: fc.nat(20), cpu_ms: fc.nat(200), llm_tokens: fc.nat(50) },
  { requiredKeys: [] },
);

function open(id: string, budgets: Budgets): TokenAccount {
  return {
    used: {},
    reserved: {},
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
    },
  };
}

function add(to: Budgets, what: Budgets, sign: 1 | -1): void {
  for (const dimension of BUDGET_DIMENSIONS) {
    const amount = what[dimension];
    if (amount !== undefined) to[dimension] = (to[dimension] ?? 0) + sign * amount;
  }
}

test('no order of reservations and settlements overspends any token of a chain', () => {
  const calls = fc.array(fc.record({ wanted: amounts, actual: amounts, settled: fc.boolean() }), { maxLength: 30 });
  fc.assert(
    fc.property(amounts, amounts, calls, (child, parent, asks) => {
      const chain = [open('cap_b', child), open('cap_a', parent)];
      for (const { wanted, actual, settled } of asks) {
        const verdict = decideReservation({ chain, wanted });
        if (verdict.effect === 'refuse') continue;
        for (const { capability_token_id, amounts: held } of verdict.reservations) {
          const account = chain.find(({ token }) => token.capability_token_id === capability_token_id);
          if (!account) throw new Error('a reservation names a token of the chain');
          add(account.reserved, held, 1);
          if (!settled) continue;
          add(account.reserved, held, -1);
          add(account.used, settledUse(held, actual), 1);
        }
        for (const { token, used, reserved } of chain) {
          for (const dimension of BUDGET_DIMENSIONS) {
            expect((used[dimension] ?? 0) + (reserved[dimension] ?? 0)).toBeLessThanOrEqual(
              token.grant.budgets[dimension] ?? Infinity,
            );
          }
        }
      }
    }),
    { numRuns: 1000 },
  );
});
