// SPDX-License-Identifier: Apache-2.0
import type { IssuedToken, KernelRequest, KeyRevoked } from '@writ/contract';
import { revokeKey, type Changes } from '../../evidence/changes/index.ts';
import { requireFound, plainRow, requireId, requireRole, type Rows } from '../../foundation/tenancy/index.ts';
import type { EndCalls } from './end-calls.ts';

/** Maximum number of tokens in one answer, since a person has to check each of them. */
const TOKENS_MAX = 200;
/** Calls that are ended before the answer. The others are marked, so they can't commit, and the sweep ends them. */
const ENDED_MAX = 1_000;

/**
 * Revokes an API key and ends the calls that it proposed. INVARIANT (ended means ended): once this has resolved, no
 * call that the key proposed is admitted, approved or committed. The marks of the transaction guarantee this. Ending
 * the calls afterwards gives each its record and its outcome.
 */
export class RevokeKey {
  readonly #changes: Changes;
  readonly #endCalls: Pick<EndCalls, 'run'>;

  constructor(changes: Changes, endCalls: Pick<EndCalls, 'run'>) {
    this.#changes = changes;
    this.#endCalls = endCalls;
  }

  /** @throws Fault `auth.role`, `not_found` for an id that is not the id of a key */
  async run({ caller, api_key_id }: KernelRequest<'api_key.revoke'>): Promise<KeyRevoked> {
    requireRole(caller, 'admin');
    requireId('apiKey', api_key_id);
    const { tenant_id } = caller;
    const { operationIds, revoked } = await this.#changes.upkeep(tenant_id, async (rows, now) => {
      requireFound(await rows.tenant.findUnique({ where: { tenant_id }, select: { tenant_id: true } }));
      const { operationIds, records } = await revokeKey(rows, caller, api_key_id, now);
      return { value: { operationIds, revoked: await tokensOf(rows, api_key_id, now) }, records };
    });
    // After the COMMIT, in separate transactions: a transaction that locks a call before the rules must never wait for
    // this.
    await this.#endCalls.run(tenant_id, operationIds.slice(0, ENDED_MAX), caller.api_key_id);
    return revoked;
  }
}

/** Tokens that the key issued and that are still valid. */
async function tokensOf(rows: Rows, issuer: string, now: number): Promise<KeyRevoked> {
  const issued = await rows.$queryRaw<{ capability_token_id: string; agent_id: string; expires_at: bigint }[]>`
    SELECT t.capability_token_id, t.agent_id, (t.grant_json ->> 'expires_at')::bigint AS expires_at
    FROM kernel.token t
    WHERE t.issuer = ${issuer} AND t.revoked_at IS NULL AND (t.grant_json ->> 'expires_at')::bigint > ${now}
      AND NOT EXISTS (
        SELECT FROM kernel.token k WHERE k.capability_token_id = ANY (t.chain) AND k.revoked_at IS NOT NULL)
    ORDER BY t.created_at DESC, t.capability_token_id DESC LIMIT ${TOKENS_MAX + 1}`;
  const tokens = issued.slice(0, TOKENS_MAX).map((row) => plainRow(row) as IssuedToken);
  return { tokens, more_tokens: issued.length > TOKENS_MAX };
}
