// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, type Caller, type CapabilityToken } from '@writ/contract';
import { contentDigest, type Changed } from '../../evidence/changes/index.ts';
import { requireFound, type Rows } from '../../foundation/tenancy/index.ts';
import { tokenViews, type TokenView } from './token-view.ts';

/**
 * Stores a new token with an account for each dimension that it bounds. `chain` is the path from the root to the token,
 * including both.
 */
export async function insertToken(
  rows: Rows,
  caller: Caller,
  verb: 'token_issued' | 'token_attenuated' | 'job_listed',
  token: CapabilityToken,
  chain: readonly string[],
  exchanged = false,
): Promise<Changed<TokenView>> {
  const { capability_token_id, tenant_id, agent_id, workspace_id, grant, spawned_by } = token;
  const stored = await rows.token.create({ data: { ...columnsOf(token, chain), exchanged } });
  const bounded = BUDGET_DIMENSIONS.flatMap((dimension) => {
    const bound = grant.budgets[dimension];
    return bound === undefined ? [] : [{ capability_token_id, dimension, tenant_id, bound }];
  });
  if (bounded.length > 0) await rows.budget.createMany({ data: bounded });
  return {
    value: requireFound((await tokenViews(rows, [stored]))[0]),
    records: [
      {
        kind: 'token',
        actor: caller.api_key_id,
        agent_id,
        capability_token_id,
        workspace_id,
        ...(spawned_by === undefined ? {} : { operation_id: spawned_by }),
        change: { verb, subject: capability_token_id, digest: contentDigest(token) },
      },
    ],
  };
}

function columnsOf({ grant, spawned_by, job, ...token }: CapabilityToken, chain: readonly string[]) {
  const { capability_token_id, tenant_id, agent_id, parent_id, workspace_id, issuer, created_at } = token;
  return {
    capability_token_id,
    tenant_id,
    agent_id,
    parent_id,
    chain: [...chain],
    workspace_id,
    grant_json: grant,
    issuer,
    created_at,
    ...(spawned_by === undefined ? {} : { spawned_by }),
    ...(job === undefined ? {} : { job }),
  };
}
