// SPDX-License-Identifier: Apache-2.0
// Keys by which a tenant can always be administered: valid ones of administrators that neither end nor have scopes, and
// whose members are active. Whether a credential of an identity provider is good, its issuer decides, so none counts.
import type { Client } from '@writ/database';
import { CREDENTIAL_PREFIX } from './api-keys.ts';

/** Administrators who end each other's keys at the same moment wait for each other here. */
export const LOCK_ADMINISTRATORS = `SELECT api_key_id FROM orchestrator.api_key
  WHERE role = 'admin' AND revoked_at IS NULL ORDER BY api_key_id FOR UPDATE`;

/** Two of them at most: who knows of a second one needs no third. */
export const LASTING_KEYS = `SELECT k.api_key_id AS "apiKeyId" FROM orchestrator.api_key k
  WHERE k.role = 'admin' AND k.revoked_at IS NULL AND k.expires_at IS NULL AND k.scopes = '{}'
    AND NOT starts_with(k.created_by, '${CREDENTIAL_PREFIX}') AND NOT orchestrator.is_refused(k.member_id)`;

export async function lockAdministratorKeys(client: Client): Promise<void> {
  await client.query(LOCK_ADMINISTRATORS);
}

/** Whether a lasting key is of somebody else than the member. */
export async function hasLastingKeys(client: Client, memberId: string): Promise<boolean> {
  const { rowCount } = await client.query(`${LASTING_KEYS} AND k.member_id IS DISTINCT FROM $1 LIMIT 1`, [memberId]);
  return rowCount === 1;
}
