// SPDX-License-Identifier: Apache-2.0
// Rows of identity providers, within a transaction of their tenant.
import { Fault, type TenantId } from '@writ/contract';
import type { Client } from '@writ/database';
import {
  AMBIGUOUS,
  claimSameTokens,
  verifySameIdentity,
  workloadsOf,
  type NewProvider,
  type ProviderInForce,
  type ProviderRow,
} from './identities.ts';

const COLUMNS = `provider_id, name, issuer, audience, tenant_claim, tenant_value, scopes, groups_claim, groups,
  person_claim, agent_id, agent_claim, profile, workloads, jwks,
  created_at, created_by, updated_at, removed_at,
  CASE WHEN sign_in_client_id IS NOT NULL THEN jsonb_build_object('client_id', sign_in_client_id) END AS sign_in`;

export async function rowsOf(client: Client, condition: string, values: unknown[]): Promise<ProviderRow[]> {
  const text = `SELECT ${COLUMNS} FROM orchestrator.identity_provider WHERE ${condition}`;
  return (await client.query<ProviderRow>(text, values)).rows;
}

/** Whoever calls it holds the lock of the issuer. Fault `conflict`. */
export async function verifyUnambiguous(
  client: Client,
  tenantId: TenantId,
  provider: NewProvider,
  named: ProviderRow | null,
): Promise<void> {
  const { rows } = await client.query<ProviderInForce>('SELECT * FROM orchestrator.registrations_in_force($1)', [
    provider.issuer,
  ]);
  const others = rows.filter(({ provider_id }) => provider_id !== named?.provider_id);
  if (others.some((each) => claimSameTokens(each, { ...provider, tenant_id: tenantId })))
    throw new Fault('conflict', AMBIGUOUS);
}

export async function verifyCount(client: Client, countMax: number): Promise<void> {
  const { rows } = await client.query<{ n: number }>(
    'SELECT count(*) AS n FROM orchestrator.identity_provider WHERE removed_at IS NULL',
  );
  if ((rows[0]?.n ?? 0) >= countMax)
    throw new Fault('limit.exceeded', `a tenant has ${countMax} identity providers at most`);
}

export async function change(client: Client, named: ProviderRow, provider: NewProvider): Promise<ProviderRow> {
  verifySameIdentity(named, provider);
  const { rows } = await client.query<ProviderRow>(
    `UPDATE orchestrator.identity_provider SET scopes = $2, agent_id = $3, agent_claim = $4, hash_key_id = $5,
       sign_in_client_id = $6, groups_claim = $7, groups = $8, workloads = $9, jwks = $10,
       updated_at = orchestrator.now_ms() WHERE provider_id = $1 RETURNING ${COLUMNS}`,
    [
      named.provider_id,
      JSON.stringify(provider.scopes),
      provider.agent_id,
      provider.agent_claim,
      provider.hash_key_id,
      provider.sign_in?.client_id ?? null,
      provider.groups_claim,
      JSON.stringify(provider.groups),
      ...workloadColumns(provider),
    ],
  );
  return rows[0] as ProviderRow;
}

function workloadColumns(provider: NewProvider): readonly [string, string | null] {
  const { workloads, jwks } = workloadsOf(provider);
  return [JSON.stringify(workloads), jwks === null ? null : JSON.stringify(jwks)];
}

export async function insert(client: Client, tenantId: TenantId, provider: NewProvider): Promise<ProviderRow> {
  const { rows } = await client.query<ProviderRow>(
    `INSERT INTO orchestrator.identity_provider (provider_id, tenant_id, name, issuer, audience, tenant_claim,
       tenant_value, scopes, person_claim, agent_id, agent_claim, hash_key_id, sign_in_client_id, created_by,
       groups_claim, groups, workloads, jwks, profile)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) RETURNING ${COLUMNS}`,
    [
      provider.provider_id,
      tenantId,
      provider.name,
      provider.issuer,
      provider.audience,
      provider.tenant_claim,
      provider.tenant_value,
      JSON.stringify(provider.scopes),
      provider.person_claim,
      provider.agent_id,
      provider.agent_claim,
      provider.hash_key_id,
      provider.sign_in?.client_id ?? null,
      provider.created_by,
      provider.groups_claim,
      JSON.stringify(provider.groups),
      ...workloadColumns(provider),
      workloadsOf(provider).profile,
    ],
  );
  return rows[0] as ProviderRow;
}
