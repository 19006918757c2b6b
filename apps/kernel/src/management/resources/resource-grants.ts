// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type KernelRequest, type ResourceGrant, type ResourceGrantView } from '@writ/contract';
import { newId, requireMatch } from '@writ/nest-kit';
import type { ListPage } from '@writ/paging';
import { contentDigest, type Changed, type ChangeRecord, type Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import {
  callIn,
  newestFirst,
  requireFound,
  requireId,
  requireRole,
  rowsAfter,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';
import { isAgent } from './usable-by.ts';

type GrantRow = NonNullable<Awaited<ReturnType<Rows['resource_grant']['findUnique']>>>;

/**
 * Manages who may use and make resources. INVARIANT (wholly before or after): a call is decided under the grants before
 * a change or under those after it.
 */
export class ResourceGrants {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /**
   * Grants, or sets the clearance of what is granted.
   * @throws Fault `auth.role`, `limit.exceeded`, `precondition.failed`; `resource.unknown` for a resource that isn't
   * there or of another kind, `not_found` for an agent that isn't there, `request.malformed` for a right that can't be
   * granted so
   */
  async set({ caller, grant, if_match }: KernelRequest<'resource_grant.set'>): Promise<ResourceGrantView> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id: created_by } = caller;
    verifyRight(grant);
    return await this.#changes.make(tenant_id, async (rows, now): Promise<Changed<ResourceGrantView>> => {
      // From here to COMMIT no decision is written.
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      const name = await verifyTarget(rows, tenant_id, grant);
      const { kind, resource_id, right, agent_id, clearance } = grant;
      const before = await rows.resource_grant.findFirst({ where: { tenant_id, kind, resource_id, right, agent_id } });
      requireMatch(if_match, before && grantView(before, name));
      if (before?.clearance === clearance) return { value: grantView(before, name), records: [] };
      const set = { clearance, created_by, created_at: BigInt(now) };
      const resource_grant_id = before?.resource_grant_id ?? newId('resourceGrant');
      const row = { resource_grant_id, tenant_id, kind, resource_id, right, agent_id, ...set };
      if (before !== null) await rows.resource_grant.updateMany({ where: { tenant_id, resource_grant_id }, data: set });
      else {
        if ((await rows.resource_grant.count({ where: { tenant_id } })) >= LIMITS.resourceGrants.max)
          throw new Fault(
            'limit.exceeded',
            `a tenant has at most ${String(LIMITS.resourceGrants.max)} grants of resources`,
          );
        await rows.resource_grant.createMany({ data: [row] });
      }
      const value = grantView(row, name);
      return { value, records: [recordOf('resource_granted', created_by, value)] };
    });
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller, resource_grant_id }: KernelRequest<'resource_grant.read'>): Promise<ResourceGrantView> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    requireId('resourceGrant', resource_grant_id);
    const { tenant_id } = caller;
    return await this.#tenancy.within(tenant_id, (rows) => findGrant(rows, tenant_id, resource_grant_id));
  }

  /** @throws Fault `auth.role`, `not_found`, `precondition.failed` */
  async remove(request: KernelRequest<'resource_grant.remove'>): Promise<ResourceGrantView> {
    const { caller, resource_grant_id, if_match } = request;
    requireRole(caller, 'admin');
    requireId('resourceGrant', resource_grant_id);
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make(tenant_id, async (rows): Promise<Changed<ResourceGrantView>> => {
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      const value = await findGrant(rows, tenant_id, resource_grant_id);
      requireMatch(if_match, value);
      await rows.resource_grant.deleteMany({ where: { tenant_id, resource_grant_id } });
      return { value, records: [recordOf('resource_grant_removed', api_key_id, value)] };
    });
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list(request: KernelRequest<'resource_grant.list'>): Promise<ListPage<ResourceGrantView>> {
    const { caller, page, kind, resource_id, agent_id } = request;
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const where = {
      ...(kind === null ? {} : { kind }),
      ...(resource_id === null ? {} : { resource_id: resource_id.replaceAll('\0', '') }),
      ...(agent_id === null ? {} : { OR: [{ agent_id: agent_id.replaceAll('\0', '') }, { agent_id: null }] }),
    };
    const views = await this.#tenancy.within(tenant_id, async (rows) => {
      if (!(await isAgent(rows, tenant_id, agent_id))) return [];
      const found = await rows.resource_grant.findMany({
        where: { AND: [{ ...rowsAfter(parseCursor(page.cursor), 'resource_grant_id'), tenant_id }, where] },
        orderBy: newestFirst('resource_grant_id'),
        take: page.limit + 1,
      });
      const names = await namesOf(rows, tenant_id, found);
      return found.map((row) => grantView(row, names.get(row.resource_id) ?? null));
    });
    return fittedPage(views, page.limit, ({ created_at, resource_grant_id: id }) => ({ created_at, id }));
  }
}

/** @throws Fault `request.malformed` */
function verifyRight({ kind, right, resource_id }: ResourceGrant): void {
  if (right === 'create' && resource_id !== null)
    throw new Fault('request.malformed', 'the right `create` is granted for a kind: `/resource_id` must be null', {
      pointer: '/resource_id',
    });
  if (kind === 'task' && resource_id !== null)
    throw new Fault('request.malformed', 'tasks are granted as a kind: `/resource_id` must be null', {
      pointer: '/resource_id',
    });
}

/** The name of the granted resource; null for a kind. @throws Fault `resource.unknown`, `not_found` */
async function verifyTarget(
  rows: Rows,
  tenant_id: string,
  { kind, resource_id, agent_id }: ResourceGrant,
): Promise<string | null> {
  if (
    agent_id !== null &&
    (await rows.agent.findFirst({ where: { tenant_id, agent_id }, select: { agent_id: true } })) === null
  )
    throw new Fault('not_found', 'there is no such agent', { pointer: '/agent_id' });
  if (resource_id === null) return null;
  const row = await rows.resource.findFirst({
    where: { tenant_id, resource_id, kind, removed_at: null },
    select: { name: true },
  });
  if (row === null) throw new Fault('resource.unknown', undefined, { pointer: '/resource_id' });
  return row.name;
}

/** @throws Fault `not_found` */
async function findGrant(rows: Rows, tenant_id: string, resource_grant_id: string): Promise<ResourceGrantView> {
  const row = requireFound(await rows.resource_grant.findFirst({ where: { tenant_id, resource_grant_id } }));
  const names = await namesOf(rows, tenant_id, [row]);
  return grantView(row, names.get(row.resource_id) ?? null);
}

async function namesOf(
  rows: Rows,
  tenant_id: string,
  grants: readonly Pick<GrantRow, 'resource_id'>[],
): Promise<ReadonlyMap<string | null, string>> {
  const ids = grants.flatMap(({ resource_id }) => (resource_id === null ? [] : [resource_id]));
  const found = await rows.resource.findMany({
    where: { tenant_id, resource_id: { in: ids } },
    select: { resource_id: true, name: true },
  });
  return new Map(found.map(({ resource_id, name }) => [resource_id, name]));
}

const grantView = (row: GrantRow, name: string | null): ResourceGrantView => ({
  resource_grant_id: row.resource_grant_id,
  kind: row.kind as ResourceGrantView['kind'],
  resource_id: row.resource_id,
  name,
  right: row.right as ResourceGrantView['right'],
  agent_id: row.agent_id,
  clearance: row.clearance as ResourceGrantView['clearance'],
  created_by: row.created_by,
  created_at: Number(row.created_at),
});

/** The digest covers what is granted, so that the record proves the clearance. */
function recordOf(verb: string, actor: string, view: ResourceGrantView): ChangeRecord {
  const { kind, resource_id, name, right, agent_id, clearance } = view;
  return {
    kind: 'change',
    actor,
    ...(agent_id === null ? {} : { agent_id }),
    change: {
      verb,
      subject: `${kind}:${name ?? '*'}`,
      digest: contentDigest({ kind, resource_id, right, agent_id, clearance }),
    },
  };
}
