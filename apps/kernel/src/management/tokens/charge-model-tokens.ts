// SPDX-License-Identifier: Apache-2.0
import { Fault, principalOf, type KernelRequest, type TokenReservationReply } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { ChargedTokens } from '../../foundation/database/functions/tokens.ts';
import { resetOf, usedUpMessage } from '../../foundation/rows/period-budget-use.ts';
import { agentFilterOf, requireId, requireRole } from '../../foundation/tenancy/index.ts';

/**
 * Charges the usage of a run's models to the `llm_tokens` budget of its session's token, and of each token above it.
 * INVARIANT (drawn once): totals are absolute, and the run's row stores how much of them is charged. INVARIANT (spent
 * is spent): a fault refuses only the reservation; the usage is settled nevertheless.
 */
export class ChargeModelTokens {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    this.#tenants = tenants;
  }

  /**
   * @throws Fault `auth.role`, `not_found`, `conflict` for a request that is older than the last one; for the
   * reservation `budget.exhausted`, `token.revoked`, `token.expired`, `token.not_yet_valid`
   */
  async run({
    caller,
    capability_token_id,
    run_id,
    fence,
    place,
    used_total,
    reserve,
    cost,
  }: KernelRequest<'token.draw'>): Promise<TokenReservationReply> {
    requireRole(caller, 'admin', 'agent');
    requireId('token', capability_token_id);
    const { agent_id = null } = agentFilterOf(caller);
    const charge = { capability_token_id, agent_id, run_id, fence, place, used_total, reserve };
    const owner = { person: principalOf(caller), api_key_id: caller.api_key_id };
    const charged = await kernelSql.drawOfRun(this.#tenants.pool, {
      tenant: caller.tenant_id,
      p: { ...charge, owner, cost: cost ?? null },
    });
    if (charged === null) throw new Fault('not_found');
    if (charged.refused !== null) throw refusalOf(charged.refused, reserve, cost !== undefined);
    return { bounded: charged.bounded };
  }
}

function refusalOf(refused: NonNullable<ChargedTokens['refused']>, reserve: number, knowsBudgets: boolean): Fault {
  // Orchestrators of the version before know no closed tenants, and end a run whose token was revoked.
  const code = refused.code === 'tenant.closed' ? 'token.revoked' : refused.code;
  // Nor budgets per day and month: they end a run whose token's budget is exhausted.
  const known = code === 'budget.period' && !knowsBudgets ? 'budget.exhausted' : code;
  return new Fault(known, messageOf(refused, reserve));
}

function messageOf(refused: NonNullable<ChargedTokens['refused']>, reserve: number): string {
  switch (refused.code) {
    case 'budget.exhausted':
      return `the capability token \`${refused.capability_token_id}\` has ${String(Math.max(0, refused.left))} \`llm_tokens\` left, and the next reply may take ${String(reserve)}`;
    case 'budget.period':
      return `${usedUpMessage(refused)}; the next reply may use more than is left, and the budget resets at ${resetOf(refused)}`;
    case 'conflict':
      return 'a later request of the run was charged, or one under another token';
    case 'tenant.closed':
      return 'the tenant is closed, and its capability tokens with it';
    case 'token.revoked':
      return 'the capability token or one that it derives from was revoked';
    case 'token.expired':
      return 'the capability token or one that it derives from expired';
    case 'token.not_yet_valid':
      return 'the capability token or one that it derives from is not valid yet';
  }
}
