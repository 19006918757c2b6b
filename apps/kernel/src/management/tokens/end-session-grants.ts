// SPDX-License-Identifier: Apache-2.0
import { SESSION_APPROVAL } from '@writ/contract';
import type { ChangeRecord } from '../../evidence/changes/index.ts';
import type { Rows } from '../../foundation/tenancy/index.ts';

/** Who ends them, and when. */
interface Ending {
  readonly tenant_id: string;
  readonly by: string;
  readonly now: number;
}

interface EndedGrant {
  readonly capability_token_id: string;
  readonly agent_id: string;
  readonly workspace_id: string | null;
}

/**
 * Revokes the session grants whose one approval these persons gave, by their own right or by one that was lent. Callers
 * MUST hold the tenant's rules exclusively: a call is admitted under a grant wholly before this, or not at all.
 */
export async function endSessionGrants(
  rows: Rows,
  { tenant_id, by, now }: Ending,
  principals: readonly string[],
): Promise<ChangeRecord[]> {
  const theirs = [...principals];
  // No grant lives longer, so older tokens are not read.
  const since = now - SESSION_APPROVAL.ttlMs.max;
  const ended = await rows.$queryRaw<EndedGrant[]>`
    UPDATE kernel.token t SET revoked_at = ${now}::bigint
    WHERE t.tenant_id = ${tenant_id} AND t.created_at >= ${since}::bigint AND t.session_approval IS NOT NULL
      AND t.revoked_at IS NULL AND (t.grant_json ->> 'expires_at')::bigint > ${now}::bigint
      AND EXISTS (SELECT FROM kernel.approval a JOIN kernel.vote v ON v.approval_id = a.approval_id AND v.asked = a.asked
        WHERE a.approval_id = t.session_approval ->> 'approval_id' AND v.says = 'approve'
          AND (v.principal = ANY (${theirs}::text[]) OR v.cast_as = ANY (${theirs}::text[])))
    RETURNING t.capability_token_id, t.agent_id, t.workspace_id`;
  return ended.map(({ capability_token_id, agent_id, workspace_id }) => ({
    ...{ kind: 'token', actor: by, agent_id, capability_token_id, workspace_id },
    change: { verb: 'token_revoked', subject: capability_token_id, digest: null },
  }));
}
