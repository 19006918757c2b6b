// SPDX-License-Identifier: Apache-2.0
import { Fault, type CapabilityToken, type JobListing, type KernelRequest } from '@writ/contract';
import { matchesTool } from '@writ/capability';
import type { Changes } from '../../evidence/changes/index.ts';
import { newId } from '@writ/nest-kit';
import { requireId, requireRole } from '../../foundation/tenancy/index.ts';
import { narrowToken, requireWorkspace } from './attenuate-token.ts';
import { insertToken } from './insert-token.ts';
import { lockChain } from './lock-chain.ts';
import type { TokenView } from './token-view.ts';

/**
 * Makes the token for the runs of a job: a child of an agent's token, with the tools that an administrator lists for
 * the job. INVARIANT (listed is approved): only an administrator makes a listing. It is stored in the token, recorded
 * with it, and never changes. For another listing, make another token and revoke this one.
 */
export class ListForJob {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /**
   * @throws Fault `auth.role`, `not_found`, `request.malformed` for a tool that the token doesn't grant, and those of
   * an attenuation
   */
  async run({ caller, parent_id, workspace_id, job }: KernelRequest<'token.list_for_job'>): Promise<TokenView> {
    requireRole(caller, 'admin');
    requireId('token', parent_id);
    requireId('workspace', workspace_id);
    const { tenant_id } = caller;
    const capability_token_id = newId('token');
    return await this.#changes.make(tenant_id, async (rows, now) => {
      const chain = await lockChain(rows, caller, parent_id);
      const [parent] = chain as [CapabilityToken];
      if (chain.some((token) => token.job !== undefined))
        throw new Fault('request.malformed', "the token is already a job's token; name its parent", {
          pointer: '/capability_token_id',
        });
      const child = narrowToken(chain, { workspace_id }, now);
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

/** A tool that is listed and not granted would have no effect, although its administrator thinks it does. */
function verifyListing({ tools }: JobListing, granted: readonly string[]): void {
  const index = tools.findIndex((tool) => !granted.some((pattern) => matchesTool(pattern, tool)));
  if (index >= 0)
    throw new Fault('request.malformed', `the token does not grant \`${String(tools[index])}\`, which the job lists`, {
      pointer: `/tools/${index}`,
    });
}
