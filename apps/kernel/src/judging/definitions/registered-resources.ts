// SPDX-License-Identifier: Apache-2.0
//
// Registered resources, as calls are decided on them. INVARIANT (read each time): a resource and its grant are read
// when a call is decided and again when it runs. A call whose resource was changed, removed or is no longer granted
// doesn't run.
import { secretsOfSettings, type BoundResource, type Clearance, type ResourceReference } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** A resource that a call names, as its agent may use it now. */
export interface NamedResource {
  readonly reference: ResourceReference;
  /** null for one that doesn't exist or isn't granted, for one that the call would make, and for a whole kind */
  readonly resource: BoundResource | null;
  /** the least supervision that its grant requires; null where nothing is granted */
  readonly clearance: Clearance | null;
  /** for one that the call would make: whether the name is taken */
  readonly isTaken: boolean | null;
}

/**
 * The secrets that the settings of the resources name and that the tenant doesn't have. Mostly none are named; then
 * nothing is queried.
 */
export async function missingSecrets(
  tenants: TenantPool,
  tenantId: string,
  resources: readonly BoundResource[],
): Promise<readonly string[]> {
  const names = [...new Set(resources.flatMap(({ settings }) => secretsOfSettings(settings)))];
  if (names.length === 0) return [];
  // Of no agent's session: what people gave to sessions is no secret of the tenant.
  const known = await kernelSql.secretsKnown(tenants.pool, { tenant: tenantId, agent: '', session: '', names });
  return names.filter((name) => !known.includes(name));
}

/** The resources that the references name, in their order, as they are granted to the agent now. */
export async function resourcesFor(
  tenants: TenantPool,
  { tenant_id, agent_id }: { readonly tenant_id: string; readonly agent_id: string },
  references: readonly ResourceReference[],
): Promise<readonly NamedResource[]> {
  if (references.length === 0) return [];
  const refs = references.map(({ kind, ref, right, every }) => ({
    kind,
    ref,
    right,
    ...(every === true ? { every } : {}),
  }));
  const rows = await kernelSql.resourcesFor(tenants.pool, { tenant: tenant_id, agent: agent_id, refs });
  return references.map((reference, ord) => {
    const row = rows[ord];
    if (row === undefined) throw new Error('resources_for answered with fewer rows than references');
    const { clearance, exists: isTaken, kind, resource_id, name, owner_agent_id, settings, digest } = row;
    const isFound = resource_id !== null && kind !== null && name !== null && settings !== null && digest !== null;
    const resource = isFound ? { resource_id, kind, name, owner_agent_id, settings, digest } : null;
    return { reference, resource, clearance, isTaken };
  });
}
