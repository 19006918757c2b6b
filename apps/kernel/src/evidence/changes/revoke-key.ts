// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, type Rows } from '../../foundation/tenancy/index.ts';
import type { ChangeRecord } from './changes.ts';
import { delegationRevoked } from './delegation-revoked.ts';
import { endConnectionsOfCredential } from './end-connections.ts';

/** What the revocation of a key changed. */
export interface KeyRevocation {
  /** calls of the key that have not ended, marked to end */
  readonly operationIds: readonly string[];
  /** none where the key was revoked before */
  readonly records: readonly ChangeRecord[];
}

/**
 * Revokes an API key in the kernel, within the transaction of `rows`: marks the calls of the key and of what was
 * exchanged for it, revokes the delegations that it made, and ends the connections of the person whose credential it
 * is. INVARIANT (wholly before or wholly after): the transaction locks the tenant's rules exclusively. A call of the
 * key is decided before it, and marked here, or after it, and refused.
 */
export async function revokeKey(rows: Rows, caller: Caller, api_key_id: string, now: number): Promise<KeyRevocation> {
  const { tenant_id, api_key_id: by } = caller;
  await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
  const row = { tenant_id, api_key_id, revoked_at: now, revoked_by: by };
  const { count } = await rows.revoked_key.createMany({ data: [row], skipDuplicates: true });
  const marked = await callIn(rows, kernelSql.markCallsOfKey, { tenant: tenant_id, key: api_key_id });
  const exchanged = await callIn(rows, kernelSql.revokeExchanged, { tenant: tenant_id, key: api_key_id, by });
  const operationIds = [
    ...marked.map(({ mark_calls_of_key: operationId }) => operationId),
    ...exchanged.map(({ revoke_exchanged: operationId }) => operationId),
  ];
  if (count === 0) return { operationIds, records: [] };
  const revoked = {
    kind: 'change',
    actor: by,
    change: { verb: KEY_REVOKED, subject: api_key_id, digest: null },
  } as const;
  const delegations = await endDelegations(rows, api_key_id, { by, now });
  const connections = await endConnectionsOfCredential(rows, { tenant_id, api_key_id }, by);
  return { operationIds, records: [revoked, ...delegations, ...connections] };
}

/** The verb of records of revoked keys. */
export const KEY_REVOKED = 'api_key_revoked';

/** Ends the delegations that the key made: its owner may no longer lend a right by it. */
async function endDelegations(
  rows: Rows,
  keyId: string,
  { by, now }: { by: string; now: number },
): Promise<ChangeRecord[]> {
  const delegations = await rows.delegation.findMany({
    where: { created_by: keyId, revoked_at: null, expires_at: { gt: now } },
    select: { delegation_id: true },
    orderBy: { delegation_id: 'asc' },
  });
  const ids = delegations.map(({ delegation_id }) => delegation_id);
  const ended = { revoked_at: now, revoked_by: by };
  await rows.delegation.updateMany({ where: { delegation_id: { in: ids } }, data: ended });
  return ids.map((id) => delegationRevoked(by, id));
}
