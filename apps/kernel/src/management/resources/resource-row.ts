// SPDX-License-Identifier: Apache-2.0
import { Fault, REGISTERED_KINDS, type Caller, type RegisteredKind, type ResourceView } from '@writ/contract';
import type { Rows } from '../../foundation/tenancy/index.ts';

export type ResourceRow = NonNullable<Awaited<ReturnType<Rows['resource']['findUnique']>>>;

/** A resource as the caller may see it: an agent uses a resource without reading its settings. */
export function resourceView(row: ResourceRow, { role }: Pick<Caller, 'role'>): ResourceView {
  const isAgent = role === 'agent';
  return {
    resource_id: row.resource_id,
    kind: row.kind as ResourceView['kind'],
    name: row.name,
    owner_agent_id: row.owner_agent_id,
    settings: isAgent ? null : (row.settings as Record<string, unknown>),
    digest: isAgent ? null : row.digest,
    version: row.version,
    created_by: isAgent ? null : row.created_by,
    created_at: Number(row.created_at),
    updated_at: Number(row.updated_at),
  };
}

const MANAGED_BY: Readonly<Record<string, string>> = {
  agent: '`/v1/agents`',
  profile: '`/v1/execution-profiles`',
  sandbox: '`/v1/sandboxes`',
  skill: '`/v1/skills`',
};

/** The kind of a resource that administrators change here. @throws Fault `conflict` for one that is stored elsewhere */
export function requireRegistered(kind: string): RegisteredKind {
  const registered = REGISTERED_KINDS.find((one) => one === kind);
  if (registered === undefined)
    throw new Fault(
      'conflict',
      `a resource of the kind \`${kind}\` is managed at ${MANAGED_BY[kind] ?? 'another place'}`,
    );
  return registered;
}
