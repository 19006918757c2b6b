// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest } from '@writ/contract';
import type { Changes } from '../../evidence/changes/index.ts';
import { newId } from '@writ/nest-kit';
import { requireFound, requireId, requireRole } from '../../foundation/tenancy/index.ts';
import { insertToken } from './insert-token.ts';
import type { TokenView } from './token-view.ts';
import { verifyGrant } from './verify-grant.ts';

/** Issues root tokens: what an administrator lets an agent do. */
export class IssueToken {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /**
   * @throws Fault `auth.role`, `not_found` for an agent or a workspace of another tenant, and those of `verifyGrant`
   */
  async run({ caller, agent_id, workspace_id, grant }: KernelRequest<'token.issue'>): Promise<TokenView> {
    requireRole(caller, 'admin');
    requireId('agent', agent_id);
    if (workspace_id !== null) requireId('workspace', workspace_id);
    const { tenant_id } = caller;
    const capability_token_id = newId('token');
    return await this.#changes.make(tenant_id, async (rows, now) => {
      // Foreign keys span all tenants. These checks are within this tenant.
      requireFound(await rows.agent.findFirst({ where: { agent_id, tenant_id }, select: { agent_id: true } }));
      if (workspace_id !== null)
        requireFound(
          await rows.workspace.findFirst({ where: { workspace_id, tenant_id }, select: { workspace_id: true } }),
        );
      const token = {
        v: 1,
        capability_token_id,
        tenant_id,
        agent_id,
        parent_id: null,
        workspace_id,
        grant: verifyGrant(grant, now),
        issuer: caller.api_key_id,
        created_at: now,
        revoked_at: null,
      } as const;
      return await insertToken(rows, caller, 'token_issued', token, [capability_token_id]);
    });
  }
}
