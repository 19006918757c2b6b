// SPDX-License-Identifier: Apache-2.0
import type { Clearance, ResourceKind, ResourceRight } from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import type { TestTenant } from './test-tenant.ts';

/** Registers a resource of a tenant by SQL, whatever the roles of the API allow, and returns its id. */
export async function putResource(
  tenant: TestTenant,
  { kind, name, settings }: { kind: ResourceKind; name: string; settings: Record<string, unknown> },
): Promise<string> {
  const resource_id = newId('resource');
  await tenant.query(
    `INSERT INTO kernel.resource (resource_id, tenant_id, kind, name, settings, digest, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, 'key')`,
    [resource_id, tenant.tenantId, kind, name, settings, resourceDigest({ kind, name, settings })],
  );
  return resource_id;
}

/** Replaces the settings of a resource. */
export async function changeSettings(
  tenant: TestTenant,
  resourceId: string,
  { kind, name, settings }: { kind: ResourceKind; name: string; settings: Record<string, unknown> },
): Promise<void> {
  await tenant.query(
    'UPDATE kernel.resource SET settings = $2, digest = $3, version = version + 1 WHERE resource_id = $1',
    [resourceId, settings, resourceDigest({ kind, name, settings })],
  );
}

/** Grants a resource, or all of a kind, to one agent or to every one. */
export async function grantResource(
  tenant: TestTenant,
  kind: ResourceKind,
  {
    resourceId = null,
    right = 'use',
    agentId = null,
    clearance = 'autopilot',
  }: { resourceId?: string | null; right?: ResourceRight; agentId?: string | null; clearance?: Clearance } = {},
): Promise<void> {
  await tenant.query(
    `INSERT INTO kernel.resource_grant (resource_grant_id, tenant_id, kind, resource_id, "right", agent_id, clearance, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'key')
     ON CONFLICT (tenant_id, kind, "right", resource_id, agent_id) DO UPDATE SET clearance = excluded.clearance`,
    [newId('resourceGrant'), tenant.tenantId, kind, resourceId, right, agentId, clearance],
  );
}
