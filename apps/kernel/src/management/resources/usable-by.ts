// SPDX-License-Identifier: Apache-2.0
import type { Rows } from '../../foundation/tenancy/index.ts';
import type { Prisma } from '../../generated/prisma/client.ts';

/** A filter for the resources that an agent may use: its own, those that it is granted, and all of a granted kind. */
export async function usableBy(rows: Rows, tenant_id: string, agent_id: string): Promise<Prisma.resourceWhereInput> {
  const grants = await rows.resource_grant.findMany({
    where: { tenant_id, right: 'use', OR: [{ agent_id }, { agent_id: null }] },
    select: { kind: true, resource_id: true },
  });
  const kinds = new Set(grants.filter(({ resource_id }) => resource_id === null).map(({ kind }) => kind));
  const ids = grants.flatMap(({ kind, resource_id }) => (resource_id === null || kinds.has(kind) ? [] : [resource_id]));
  return {
    OR: [{ owner_agent_id: agent_id }, { kind: { in: [...kinds] } }, { resource_id: { in: [...new Set(ids)] } }],
  };
}

/** Answers whether the tenant has the agent; null stands for no particular one. */
export async function isAgent(rows: Rows, tenant_id: string, agent_id: string | null): Promise<boolean> {
  if (agent_id === null) return true;
  // No id has a NUL, and the database refuses a parameter that has one.
  if (agent_id.includes('\0')) return false;
  return (await rows.agent.count({ where: { tenant_id, agent_id } })) > 0;
}
