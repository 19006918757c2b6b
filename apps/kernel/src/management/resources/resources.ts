// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  LIMITS,
  MCP_LIMITS,
  MCP_SERVER_NAME,
  REGISTERED_KINDS,
  type InfoStoreSettings,
  type KernelRequest,
  type RegisteredKind,
  type ResourceView,
} from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import { definitionOfSettings } from '@writ/info-store';
import { newId, requireMatch } from '@writ/nest-kit';
import type { ListPage } from '@writ/paging';
import type { Changed, ChangeRecord, Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { audioSql, infoStoreSql, kernelSql } from '../../foundation/database/functions/index.ts';
import {
  agentFilterOf,
  callIn,
  newestFirst,
  requireFound,
  requireId,
  requireRole,
  rowsAfter,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { leaveServer, putIntoForce, removeServerTools } from '../mcp-servers/index.ts';
import { lockTools } from '../tool-registry/index.ts';
import { isAgent, usableBy } from './usable-by.ts';
import { parseSettings } from './parse-settings.ts';
import { requireRegistered, resourceView, type ResourceRow } from './resource-row.ts';

/**
 * Manages registered resources. INVARIANT (wholly before or after): a call is decided on the settings before a change
 * or on those after it, and runs with no others. INVARIANT (one id): a change of settings keeps the id, so that grants
 * stay; a removed resource never comes back under its id.
 */
export class Resources {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /**
   * @throws Fault `auth.role`, `resource.exists`, `limit.exceeded`, `workspace.unknown`; `not_found` for an agent that
   * the settings name, and `request.malformed`, with a pointer into the settings
   */
  async create({ caller, kind, name, settings: sent }: KernelRequest<'resource.create'>): Promise<ResourceView> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id: created_by } = caller;
    verifyName(kind, name);
    const settings = parseSettings(kind, sent) as Prisma.JsonObject;
    return await this.#changes.make(tenant_id, async (rows, now): Promise<Changed<ResourceView>> => {
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      await verifyNamed(rows, tenant_id, kind, settings);
      const live = { tenant_id, removed_at: null };
      if ((await rows.resource.findFirst({ where: { ...live, kind, name }, select: { name: true } })) !== null)
        throw new Fault('resource.exists', `there is a resource \`${kind}:${name}\` already`, { pointer: '/name' });
      if (
        (await rows.resource.count({ where: { ...live, kind: { in: [...REGISTERED_KINDS] } } })) >= LIMITS.resources.max
      )
        throw new Fault('limit.exceeded', `a tenant has at most ${String(LIMITS.resources.max)} resources`);
      if (kind === 'mcp_server' && (await rows.resource.count({ where: { ...live, kind } })) >= MCP_LIMITS.servers)
        throw new Fault(
          'limit.exceeded',
          `a tenant has at most ${String(MCP_LIMITS.servers)} MCP servers: remove one that is used no more`,
        );
      const at = BigInt(now);
      const row: ResourceRow = {
        resource_id: newId('resource'),
        tenant_id,
        kind,
        name,
        owner_agent_id: null,
        settings,
        digest: resourceDigest({ kind, name, settings }),
        version: 1,
        created_by,
        created_at: at,
        updated_at: at,
        removed_at: null,
      };
      await rows.resource.createMany({ data: [{ ...row, settings }] });
      return { value: resourceView(row, caller), records: [recordOf('resource_created', created_by, row)] };
    });
  }

  /** @throws Fault `not_found`, also for an agent that may not use it */
  async read({ caller, resource_id }: KernelRequest<'resource.read'>): Promise<ResourceView> {
    requireId('resource', resource_id);
    const { tenant_id } = caller;
    const { agent_id } = agentFilterOf(caller);
    return await this.#tenancy.within(tenant_id, async (rows) => {
      const usable = agent_id === undefined ? {} : await usableBy(rows, tenant_id, agent_id);
      const row = await rows.resource.findFirst({
        where: { AND: [{ tenant_id, resource_id, removed_at: null }, usable] },
      });
      return resourceView(requireFound(row), caller);
    });
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page, kind, name, agent_id }: KernelRequest<'resource.list'>): Promise<ListPage<ResourceView>> {
    const { tenant_id } = caller;
    const own = agentFilterOf(caller).agent_id ?? null;
    const agent = own ?? agent_id;
    const where = {
      ...rowsAfter(parseCursor(page.cursor), 'resource_id'),
      tenant_id,
      removed_at: null,
      ...(kind === null ? {} : { kind }),
      // No name contains NUL, and the database rejects NUL in a query.
      ...(name === null ? {} : { name: name.includes('\0') ? '' : name }),
    };
    const found = await this.#tenancy.within(tenant_id, async (rows) =>
      (own !== null && agent_id !== null && agent_id !== own) || !(await isAgent(rows, tenant_id, agent_id))
        ? []
        : rows.resource.findMany({
            where: { AND: [where, agent === null ? {} : await usableBy(rows, tenant_id, agent)] },
            orderBy: newestFirst('resource_id'),
            take: page.limit + 1,
          }),
    );
    const views = found.map((row) => resourceView(row, caller));
    return fittedPage(views, page.limit, ({ created_at, resource_id: id }) => ({ created_at, id }));
  }

  /**
   * Replaces the settings of the expected version. Calls that were decided on the earlier ones and haven't begun don't
   * run with the new ones.
   * @throws Fault `auth.role`, `not_found`, `workspace.unknown`, `precondition.failed`; `conflict` for another version,
   * and for a store that is in use with another language or model; `request.malformed` with a pointer into the settings
   */
  async update(request: KernelRequest<'resource.update'>): Promise<ResourceView> {
    const { caller, resource_id, settings: sent, expected_version, if_match } = request;
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make(tenant_id, async (rows, now): Promise<Changed<ResourceView>> => {
      // Tools of an MCP server get new versions with its settings, and their lock comes before that of the rules.
      await lockTools(rows, tenant_id);
      const before = await lockResource(rows, tenant_id, resource_id);
      requireMatch(if_match, resourceView(before, caller));
      const kind = requireRegistered(before.kind);
      const settings = parseSettings(kind, sent) as Prisma.JsonObject;
      await verifyNamed(rows, tenant_id, kind, settings);
      if (before.version !== expected_version)
        throw new Fault('conflict', `the resource has the version ${String(before.version)}`, {
          pointer: '/expected_version',
        });
      if (kind === 'info_store') await verifySameStore(rows, before, settings);
      const digest = resourceDigest({ kind, name: before.name, settings });
      if (digest === before.digest) return { value: resourceView(before, caller), records: [] };
      const after = { settings, digest, version: before.version + 1, updated_at: BigInt(now) };
      await rows.resource.updateMany({ where: { tenant_id, resource_id }, data: after });
      if (kind === 'audio_device')
        await callIn(rows, audioSql.open, { tenant: tenant_id, device: resource_id, keep: keepMsOf(settings) });
      const row: ResourceRow = { ...before, ...after };
      const tools =
        kind === 'mcp_server'
          ? [...(await leaveServer(rows, before, settings, api_key_id)), ...(await putIntoForce(rows, row, api_key_id))]
          : [];
      return { value: resourceView(row, caller), records: [recordOf('resource_updated', api_key_id, row), ...tools] };
    });
  }

  /**
   * Removes a resource with its grants, and the recordings of an audio device: no call uses it from then on.
   * @throws Fault `auth.role`, `not_found`, `precondition.failed`; `conflict` for a kind that is managed elsewhere
   */
  async remove({ caller, resource_id, if_match }: KernelRequest<'resource.remove'>): Promise<ResourceView> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make(tenant_id, async (rows, now): Promise<Changed<ResourceView>> => {
      // The tools of an MCP server go with it, and their lock comes before that of the rules.
      await lockTools(rows, tenant_id);
      const row = await lockResource(rows, tenant_id, resource_id);
      requireMatch(if_match, resourceView(row, caller));
      const kind = requireRegistered(row.kind);
      const tools =
        kind === 'mcp_server'
          ? [...(await leaveServer(rows, row, null, api_key_id)), ...(await removeServerTools(rows, row, api_key_id))]
          : [];
      const at = BigInt(now);
      await rows.resource.updateMany({ where: { tenant_id, resource_id }, data: { removed_at: at, updated_at: at } });
      if (kind === 'audio_device') await callIn(rows, audioSql.forget, { tenant: tenant_id, device: resource_id });
      return { value: resourceView(row, caller), records: [recordOf('resource_removed', api_key_id, row), ...tools] };
    });
  }
}

/** @throws Fault `request.malformed` */
function verifyName(kind: RegisteredKind, name: string): void {
  if (kind === 'mcp_server' && !new RegExp(MCP_SERVER_NAME).test(name))
    throw new Fault(
      'request.malformed',
      '`/name` of an MCP server has up to 32 small letters, digits, `_` and `-`, a letter first: it is a part of the ids of its tools',
      { pointer: '/name' },
    );
}

const keepMsOf = (settings: Prisma.JsonObject): number => Number(settings['retention_seconds']) * 1000;

/** The resource; from here to COMMIT no decision is written. @throws Fault `not_found` */
async function lockResource(rows: Rows, tenant_id: string, resource_id: string): Promise<ResourceRow> {
  requireId('resource', resource_id);
  await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
  return requireFound(await rows.resource.findFirst({ where: { tenant_id, resource_id, removed_at: null } }));
}

/**
 * Checks that what the settings name is there.
 * @throws Fault `workspace.unknown`; `not_found` for an agent
 */
async function verifyNamed(
  rows: Rows,
  tenant_id: string,
  kind: RegisteredKind,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const workspace_id = kind === 'container' ? (settings['workspace_id'] as string | null) : null;
  if (workspace_id !== null) {
    const row = await rows.workspace.findFirst({ where: { tenant_id, workspace_id }, select: { workspace_id: true } });
    if (row === null) throw new Fault('workspace.unknown', undefined, { pointer: '/settings/workspace_id' });
  }
  const uploader = kind === 'audio_device' ? ((settings['uploader'] as string | undefined) ?? null) : null;
  if (!(await isAgent(rows, tenant_id, uploader)))
    throw new Fault('not_found', 'there is no such agent', { pointer: '/settings/uploader' });
}

/**
 * A store that calls have used keeps its language and its model: its words and vectors are of them.
 * @throws Fault `conflict`
 */
async function verifySameStore(
  rows: Rows,
  { tenant_id, resource_id }: ResourceRow,
  settings: Prisma.JsonObject,
): Promise<void> {
  const row = await callIn(rows, infoStoreSql.findStore, { tenant: tenant_id, store: resource_id });
  if (row === null) return;
  const { language, embedding } = definitionOfSettings(resource_id, settings as unknown as InfoStoreSettings);
  if (
    row.language === language &&
    row.model === (embedding?.model ?? null) &&
    row.dimensions === (embedding?.dimensions ?? null)
  )
    return;
  throw new Fault(
    'conflict',
    'the store is in use with another language or model: register another one, and put its documents there',
    { pointer: '/settings' },
  );
}

const recordOf = (verb: string, actor: string, { kind, name, digest }: ResourceRow): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject: `${kind}:${name}`, digest },
});
