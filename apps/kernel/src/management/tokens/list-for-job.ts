// SPDX-License-Identifier: Apache-2.0
import { Fault, type CapabilityToken, type JobListing, type KernelRequest } from '@writ/contract';
import { matchesTool } from '@writ/capability';
import type { Changes } from '../../evidence/changes/index.ts';
import { newId } from '@writ/nest-kit';
import { requireId, requireRole } from '../../foundation/tenancy/index.ts';
import { narrowed, requireWorkspace } from './attenuate-token.ts';
import { insertToken } from './insert-token.ts';
import { lockedChain } from './locked-chain.ts';
import type { TokenView } from './token-view.ts';

/**
 * Makes the token that a job's runs act under: a child of an agent's token, with the tools that an administrator lists
 * for the job. INVARIANT (listed is approved): a listing is an administrator's, stands in the token, is recorded with
 * it, and never changes. Who lists otherwise makes another token and revokes this one.
 */
export class ListForJob {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /**
   * @throws Fault `auth.role`, `not_found`, `request.malformed` for a tool that the token doesn't grant, and those of
   * `narrowed`
   */
  async run({ caller, parent_id, workspace_id, job }: KernelRequest<'token.list_for_job'>): Promise<TokenView> {
    requireRole(caller, 'admin');
    requireId('token', parent_id);
    requireId('workspace', workspace_id);
    const { tenant_id } = caller;
    const capability_token_id = newId('token');
    return await this.#changes.make(tenant_id, async (rows, now) => {
      const chain = await lockedChain(rows, caller, parent_id);
      const [parent] = chain as [CapabilityToken];
      if (chain.some((token) => token.job !== undefined))
        throw new Fault('request.malformed', "the token is a job's already; name the one that it was made of", {
          pointer: '/capability_token_id',
        });
      const child = narrowed(chain, { workspace_id }, now);
      verifyListing(job, child.grant.tools);
      await requireWorkspace(rows, tenant_id, child.workspace_id);
      const token = {
        v: 1,
        ...child,
        capability_token_id,
        agent_id: parent.agent_id,
        issuer: caller.api_key_id,
        created_at: now,
        revoked_at: null,
        job,
      } as const;
      return await insertToken(rows, caller, 'job_listed', token, [
        ...chain.map((above) => above.capability_token_id).reverse(),
        capability_token_id,
      ]);
    });
  }
}

/** A tool that is listed and not granted would be an approval of nothing, and its giver would think otherwise. */
function verifyListing({ tools }: JobListing, granted: readonly string[]): void {
  const at = tools.findIndex((tool) => !granted.some((pattern) => matchesTool(pattern, tool)));
  if (at >= 0)
    throw new Fault('request.malformed', `the token does not grant \`${String(tools[at])}\`, which the job lists`, {
      pointer: `/tools/${at}`,
    });
}
