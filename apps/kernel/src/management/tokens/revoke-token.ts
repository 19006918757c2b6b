// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest } from '@writ/contract';
import type { Changes } from '../../evidence/changes/index.ts';
import type { Events } from '../../execution/announcements/events.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, found, requireId, requireRole, type Tenancy } from '../../foundation/tenancy/index.ts';
import { reachOf } from './reach-of.ts';
import { tokenViews, type TokenView } from './token-view.ts';

/**
 * Revokes tokens. The mark on one row is the whole of it: every decision reads its chain to the root, so what derives
 * from the token is revoked with it. Calls that run under it are told to stop; one that isn't reached finds out when it
 * renews its lease, and none of them commits.
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
   * Once or many times: it is revoked at the first. An agent takes back what was made of its tokens; what it was given
   * itself is others' to take.
   * @throws Fault `auth.role`, `not_found`
   */
  async run({ caller, capability_token_id }: KernelRequest<'token.revoke'>): Promise<TokenView> {
    requireRole(caller, 'admin', 'operator', 'agent');
    requireId('token', capability_token_id);
    const { tenant_id } = caller;
    const view = await this.#changes.make(tenant_id, async (rows, now) => {
      // Waits for the decisions and commits under way: they come wholly before this, and the next ones see it.
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      const before = found(await rows.token.findFirst({ where: { capability_token_id, tenant_id } }));
      const reach = await reachOf(rows, caller, before);
      if (reach === 'none') throw new Fault('not_found');
      if (reach === 'holds')
        throw new Fault('auth.role', 'an agent revokes what was made of its tokens, not what it was given');
      const { count } = await rows.token.updateMany({
        where: { capability_token_id, tenant_id, revoked_at: null },
        data: { revoked_at: now },
      });
      const token = found(await rows.token.findFirst({ where: { capability_token_id, tenant_id } }));
      const [value] = await tokenViews(rows, [token]);
      const { agent_id, workspace_id } = token;
      const change = { verb: 'token_revoked', subject: capability_token_id, digest: null };
      return {
        value: found(value),
        records:
          count === 0
            ? []
            : [{ kind: 'token', actor: caller.api_key_id, agent_id, capability_token_id, workspace_id, change }],
      };
    });
    await this.#stopUnderWay(tenant_id, capability_token_id);
    return view;
  }

  /** After the COMMIT, in a transaction of its own: who locks calls before tokens must never wait for this. */
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
