// SPDX-License-Identifier: Apache-2.0
//
// MCP servers that act under the rights of each person. INVARIANT (read each time): whether the person of a call
// consented is read when the call is decided, and again when it runs.
import { oauthOf, type BoundResource, type McpHttpSettings } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** Whether the person of a call is connected to a server, or whether the key of the call is no person's. */
export type Consent = 'connected' | 'no_connection' | 'no_person';

/** Whether each call of the resource has the rights of its person. */
export const takesPersons = ({ kind, settings }: Pick<BoundResource, 'kind' | 'settings'>): boolean =>
  kind === 'mcp_server' && oauthOf(settings as McpHttpSettings) !== null;

/** The consent of the call's person to the server among the resources; null, without a query, where there is none. */
export async function consentTo(
  tenants: TenantPool,
  { tenant_id, proposed_by }: { readonly tenant_id: string; readonly proposed_by: string },
  resources: readonly BoundResource[],
): Promise<Consent | null> {
  const server = resources.find(takesPersons);
  if (server === undefined) return null;
  const { resource_id: resource } = server;
  return await kernelSql.mcpConsent(tenants.pool, { tenant: tenant_id, key: proposed_by, resource });
}
