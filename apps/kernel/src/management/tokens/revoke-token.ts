// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest } from '@writ/contract';
import { requireMatch } from '@writ/nest-kit';
import type { Changes } from '../../evidence/changes/index.ts';
import type { Events } from '../../execution/announcements/events.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, requireFound, requireId, requireRole, type Tenancy } from '../../foundation/tenancy/index.ts';
import { relationOf } from './token-relation.ts';
import { tokenViews, type TokenView } from './token-view.ts';

/**
 * Revokes tokens by a mark on one row. Every decision reads the chain to the root, so tokens that derive from it are
 * revoked too. Calls that run under it are asked to stop. An executor that misses the event learns of the revocation
 * when it renews its lease. None of these calls commits.
 */
export class RevokeToken {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #events: Events;

  constructor(tenancy: Tenancy, changes: Changes, events: Events) {
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#events = events;
  }

  /**
   * Revokes a token. A repeated revocation keeps the time of the first. An agent revokes tokens that derive from its
   * own, and never its own.
   * @throws Fault `auth.role`, `not_found`, `precondition.failed`
   */
  async run({ caller, capability_token_id, if_match }: KernelRequest<'token.revoke'>): Promise<TokenView> {
    requireRole(caller, 'admin', 'operator', 'agent');
    requireId('token', capability_token_id);
    const { tenant_id } = caller;
    const view = await this.#changes.make(tenant_id, async (rows, now) => {
      // Waits for the decisions and commits under way. They come completely before this, and later ones see it.
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      const before = requireFound(await rows.token.findFirst({ where: { capability_token_id, tenant_id } }));
      const relation = await relationOf(rows, caller, before);
      if (relation === 'none') throw new Fault('not_found');
      if (relation === 'holds')
        throw new Fault('auth.role', 'an agent revokes tokens that derive from its own, not its own');
      if (if_match !== undefined) requireMatch(if_match, (await tokenViews(rows, [before]))[0]);
      const { count } = await rows.token.updateMany({
        where: { capability_token_id, tenant_id, revoked_at: null },
        data: { revoked_at: now },
      });
      const token = requireFound(await rows.token.findFirst({ where: { capability_token_id, tenant_id } }));
      const [value] = await tokenViews(rows, [token]);
      const { agent_id, workspace_id } = token;
      const change = { verb: 'token_revoked', subject: capability_token_id, digest: null };
      return {
        value: requireFound(value),
        records:
          count === 0
            ? []
            : [{ kind: 'token', actor: caller.api_key_id, agent_id, capability_token_id, workspace_id, change }],
      };
    });
    await this.#stopUnderWay(tenant_id, capability_token_id);
    return view;
  }

  /**
   * After the COMMIT, in a separate transaction: a transaction that locks calls before tokens must never wait for this.
   */
  async #stopUnderWay(tenantId: string, tokenId: string): Promise<void> {
    const running = await this.#tenancy.within(
      tenantId,
      (rows) => rows.$queryRaw<{ operation_id: string; attempt: number }[]>`
      SELECT o.operation_id, o.attempt FROM kernel.operation o JOIN kernel.token t ON t.capability_token_id = o.capability_token_id
      WHERE o.tenant_id = ${tenantId} AND o.state = 'performing' AND t.chain @> ARRAY[${tokenId}]`,
    );
    for (const { operation_id, attempt } of running) this.#events.stop(tenantId, operation_id, attempt);
  }
}
