// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type TokenDrawn } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { DrawnTokens } from '../../foundation/database/functions/tokens.ts';
import { onlyAgentOf, requireId, requireRole } from '../../foundation/tenancy/index.ts';

/**
 * Draws what a run's models use on the `llm_tokens` of its session's token, and of each token above it. INVARIANT
 * (drawn once): figures are absolute, and the run's row says what of them the budgets hold. INVARIANT (spent is spent):
 * a fault refuses the reservation; what was used is settled when it is thrown.
 */
export class DrawTokens {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    this.#tenants = tenants;
  }

  /**
   * @throws Fault `auth.role`, `not_found`, `conflict` for what comes after a later draw; of the reservation
   * `budget.exhausted`, `token.revoked`, `token.expired`, `token.not_yet_valid`
   */
  async run({
    caller,
    capability_token_id,
    run_id,
    fence,
    place,
    used_total,
    reserve,
  }: KernelRequest<'token.draw'>): Promise<TokenDrawn> {
    requireRole(caller, 'admin', 'agent');
    requireId('token', capability_token_id);
    const { agent_id = null } = onlyAgentOf(caller);
    const draw = { capability_token_id, agent_id, run_id, fence, place, used_total, reserve };
    const drawn = await kernelSql.drawTokens(this.#tenants.pool, { tenant: caller.tenant_id, p: draw });
    if (drawn === null) throw new Fault('not_found');
    if (drawn.refused !== null) throw new Fault(drawn.refused.code, wordsOf(drawn.refused, reserve));
    return { bounded: drawn.bounded };
  }
}

function wordsOf(refused: NonNullable<DrawnTokens['refused']>, reserve: number): string {
  switch (refused.code) {
    case 'budget.exhausted':
      return `the capability token \`${refused.capability_token_id}\` has ${String(Math.max(0, refused.left))} \`llm_tokens\` left, and the next reply may take ${String(reserve)}`;
    case 'conflict':
      return 'the run was drawn for since, or under another token';
    case 'token.revoked':
      return 'the capability token or one that it derives from was revoked';
    case 'token.expired':
      return 'the capability token or one that it derives from expired';
    case 'token.not_yet_valid':
      return 'the capability token or one that it derives from is not valid yet';
  }
}
