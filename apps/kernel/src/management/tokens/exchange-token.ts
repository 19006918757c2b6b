// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import { requireId, requireRole, type Rows } from '../../foundation/tenancy/index.ts';
import { deriveToken } from './attenuate-token.ts';
import type { TokenView } from './token-view.ts';

/**
 * Makes the capability token of a credential that is about to exist, and binds the credential to it. INVARIANT (bound
 * first): both are one transaction, and the orchestrator makes the credential after it.
 */
export class ExchangeToken {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /**
   * An agent exchanges what it presents for a part of one of its own tokens, for itself.
   * @throws Fault `auth.role`, `key.revoked`, and those of `AttenuateToken.run`
   */
  async run({
    caller,
    api_key_id,
    parent_id,
    workspace_id,
    grant,
  }: KernelRequest<'credential.exchange'>): Promise<TokenView> {
    requireRole(caller, 'agent');
    requireId('token', parent_id);
    const { tenant_id, agent_id, api_key_id: exchanged_by } = caller;
    const capability_token_id = newId('token');
    return await this.#changes.make(tenant_id, async (rows, now) => {
      const asked = { capability_token_id, parent_id, agent_id, workspace_id, grant, exchanged: true } as const;
      const { value, records } = await deriveToken(rows, caller, asked, now);
      await verifyNotRevoked(rows, tenant_id, exchanged_by);
      await rows.bound_key.create({ data: { tenant_id, api_key_id, capability_token_id, exchanged_by } });
      const digest = contentDigest({ api_key_id, capability_token_id, expires_at: value.grant.expires_at });
      const exchanged = { verb: 'credential_exchanged', subject: api_key_id, digest } as const;
      return { value, records: [...records, { kind: 'change', actor: exchanged_by, change: exchanged }] };
    });
  }
}

/**
 * The transaction holds the tenant's rules, which a revocation takes exclusively: it comes wholly before this, or
 * wholly after it, and then ends the credential too.
 */
async function verifyNotRevoked(rows: Rows, tenant_id: string, api_key_id: string): Promise<void> {
  if ((await rows.revoked_key.count({ where: { tenant_id, api_key_id } })) > 0) throw new Fault('key.revoked');
}
