// SPDX-License-Identifier: Apache-2.0
// Keys of one person, and the person's member, whose changes take turns.
import type { TenantId } from '@writ/contract';
import type { Client } from '@writ/database';

export const LOCK_PRINCIPAL = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

export const principalLock = (tenantId: TenantId, principal: string): string =>
  `writ.principal.${tenantId}.${principal}`;

/**
 * Lets a new key of a person wait for the transaction, or the transaction for the key. Without it, a key that is being
 * made could be missed when the person becomes a member.
 */
export async function lockPrincipal(client: Client, tenantId: TenantId, principal: string): Promise<void> {
  await client.query(LOCK_PRINCIPAL, [principalLock(tenantId, principal)]);
}

/** The fault of a key for a member who isn't active. */
export const NOT_ACTIVE = 'the member is suspended or offboarded, and gets no keys';
