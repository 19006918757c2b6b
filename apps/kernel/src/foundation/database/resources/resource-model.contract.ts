// SPDX-License-Identifier: Apache-2.0
//
// What kernel.resources_for answers, said once more in plain TypeScript: the oracle of its specs.
import type { Clearance, ResourceKind, ResourceRight } from '@writ/contract';
import type { NamedResource, ResourceForCall } from '../functions/resources.ts';

export interface ModelResource {
  readonly resource_id: string;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly owner_agent_id: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly digest: string;
  readonly removed: boolean;
}

export interface ModelGrant {
  readonly kind: ResourceKind;
  readonly resource_id: string | null;
  readonly right: ResourceRight;
  readonly agent_id: string | null;
  readonly clearance: Clearance;
}

const NONE = {
  kind: null,
  resource_id: null,
  name: null,
  owner_agent_id: null,
  settings: null,
  digest: null,
  clearance: null,
  exists: null,
} as const;

/** The row for one reference. */
export function rowFor(
  ord: number,
  agentId: string,
  { kind, ref, right, every }: NamedResource,
  resources: readonly ModelResource[],
  grants: readonly ModelGrant[],
): ResourceForCall {
  const there = resources.filter((one) => one.kind === kind && !one.removed);
  const named = there.find(({ name }) => name === ref);
  const clearanceFor = (resourceId: string | null, agent: string | null): Clearance | undefined =>
    grants.find(
      (grant) =>
        grant.kind === kind && grant.right === right && grant.resource_id === resourceId && grant.agent_id === agent,
    )?.clearance;
  const ofKind = clearanceFor(null, agentId) ?? clearanceFor(null, null);
  if (right === 'create')
    return ofKind === undefined
      ? { ord, ...NONE }
      : { ord, ...NONE, kind, name: ref, clearance: ofKind, exists: named !== undefined };
  if (every === true) return ofKind === undefined ? { ord, ...NONE } : { ord, ...NONE, kind, clearance: ofKind };
  const found = there.find(({ resource_id }) => resource_id === ref) ?? named;
  if (found === undefined) return { ord, ...NONE };
  const clearance =
    clearanceFor(found.resource_id, agentId) ??
    (found.owner_agent_id === agentId ? 'autopilot' : undefined) ??
    clearanceFor(found.resource_id, null) ??
    ofKind;
  if (clearance === undefined) return { ord, ...NONE };
  const { resource_id, name, owner_agent_id, settings, digest } = found;
  return { ord, kind, resource_id, name, owner_agent_id, settings, digest, clearance, exists: null };
}
