// SPDX-License-Identifier: Apache-2.0
import {
  isMcpStdio,
  type AnyMcpServerSettings,
  type Caller,
  type KernelRequest,
  oauthOf,
  type McpAbout,
  type McpDefinitions,
  type McpAuthorization,
  type McpProblem,
  type McpServerToolView,
  type McpServerView,
  type McpSkippedTool,
  type McpToolFound,
} from '@writ/contract';
import type { ListPage } from '@writ/paging';
import type { Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { requireFound, requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import { definitionsOf, findTool } from './find-tools.ts';
import { categoriesOf, toolView } from './tool-view.ts';
import { serverNamed } from './server-named.ts';

/** Tools that are read at a time: each may have two long definitions. */
const TOOLS_READ_MAX = 16;

type ResourceRow = NonNullable<Awaited<ReturnType<Rows['resource']['findFirst']>>>;
type ServerRow = NonNullable<Awaited<ReturnType<Rows['mcp_server']['findUnique']>>>;

/** Shows a tenant's MCP servers and what they list. They are registered and removed as resources. */
export class McpServers {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /** By name. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page, every_kind }: KernelRequest<'mcp_server.list'>): Promise<ListPage<McpServerView>> {
    requireReader(caller);
    const { tenant_id } = caller;
    const after = page.cursor === null ? '' : parseCursor(page.cursor).id;
    const views = await this.#tenancy.within(tenant_id, async (rows) => {
      const resources = await rows.resource.findMany({
        where: { tenant_id, kind: 'mcp_server', removed_at: null, name: { gt: after } },
        orderBy: { name: 'asc' },
        take: page.limit + 1,
      });
      return await viewsOf(rows, tenant_id, resources);
    });
    const { items, next_cursor } = fittedPage(views, page.limit, ({ name: id }) => ({ created_at: 0, id }));
    // Filtered at the end: the cursor counts those that are left out.
    return { items: items.filter(isReadBy(every_kind)), next_cursor };
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller, name, every_kind }: KernelRequest<'mcp_server.read'>): Promise<McpServerView> {
    requireReader(caller);
    const { tenant_id } = caller;
    const view = await this.#tenancy.within(tenant_id, async (rows) => await viewOf(rows, tenant_id, name));
    return requireFound(isReadBy(every_kind)(view) ? view : null);
  }

  /**
   * Makes the server due: an executor lists its tools as soon as one is free.
   * @throws Fault `auth.role`, `not_found`
   */
  async refresh({ caller, name, every_kind }: KernelRequest<'mcp_server.refresh'>): Promise<McpServerView> {
    requireRole(caller, 'admin');
    const { tenant_id } = caller;
    return await this.#changes.make(tenant_id, async (rows, now) => {
      const { resource_id } = await findServer(rows, tenant_id, name);
      await rows.mcp_server.updateMany({ where: { tenant_id, resource_id }, data: { due_at: BigInt(now) } });
      const view = await viewOf(rows, tenant_id, name);
      return { value: requireFound(isReadBy(every_kind)(view) ? view : null), records: [] };
    });
  }

  /** By the name at the server. @throws Fault `auth.role`, `not_found`, `request.malformed` */
  async tools({ caller, name, page, state }: KernelRequest<'mcp_server.tools'>): Promise<ListPage<McpServerToolView>> {
    requireReader(caller);
    const { tenant_id } = caller;
    const after = page.cursor === null ? '' : parseCursor(page.cursor).id;
    const limit = Math.min(page.limit, TOOLS_READ_MAX);
    const views = await this.#tenancy.within(tenant_id, async (rows) => {
      const { resource_id } = await findServer(rows, tenant_id, name);
      const found = await rows.mcp_tool.findMany({
        where: { tenant_id, resource_id, remote_name: { gt: after }, ...(state === null ? {} : { state }) },
        orderBy: { remote_name: 'asc' },
        take: limit + 1,
      });
      const ids = found.map(({ tool_id }) => tool_id);
      const categories = await categoriesOf(rows, tenant_id, ids);
      return found.map((row) => toolView(name, row, categories.get(row.tool_id) ?? null));
    });
    return fittedPage(views, limit, ({ remote_name: id }) => ({ created_at: 0, id }));
  }

  /** By its name at the server, for any caller. */
  findTool(request: KernelRequest<'mcp_server.find_tool'>): Promise<McpToolFound> {
    return findTool(this.#tenancy, request);
  }

  /** Of tools that are in force, for any caller. */
  definitions(request: KernelRequest<'mcp_server.definitions'>): Promise<McpDefinitions> {
    return definitionsOf(this.#tenancy, request);
  }
}

/**
 * INVARIANT (readable to its reader): an orchestrator of the version before reads servers over HTTP alone, with a
 * credential of the tenant or none. It refuses a whole list that has another one.
 */
const isReadBy =
  (everyKind: true | undefined) =>
  ({ transport, oauth = null }: McpServerView): boolean =>
    everyKind === true || (transport === 'http' && oauth === null);

/** Administrators decide, and operators and auditors may look. @throws Fault `auth.role` */
function requireReader(caller: Caller): void {
  requireRole(caller, 'admin', 'operator', 'auditor');
}

/** The registered server of that name. @throws Fault `not_found` */
export async function findServer(rows: Rows, tenant_id: string, name: string): Promise<ResourceRow> {
  return requireFound(await rows.resource.findFirst({ where: serverNamed(tenant_id, name) }));
}

async function viewOf(rows: Rows, tenantId: string, name: string): Promise<McpServerView> {
  const [view] = await viewsOf(rows, tenantId, [await findServer(rows, tenantId, name)]);
  return requireFound(view ?? null);
}

async function viewsOf(rows: Rows, tenant_id: string, resources: readonly ResourceRow[]): Promise<McpServerView[]> {
  const ids = resources.map(({ resource_id }) => resource_id);
  const where = { tenant_id, resource_id: { in: ids } };
  const servers = await rows.mcp_server.findMany({ where });
  const counts = await rows.mcp_tool.groupBy({ by: ['resource_id', 'state'], where, _count: true });
  const listers = await rows.mcp_connection.findMany({
    where: { ...where, state: 'connected', lists: true },
    select: { resource_id: true, connection_id: true },
  });
  return resources.flatMap((resource) => {
    const server = servers.find(({ resource_id }) => resource_id === resource.resource_id);
    if (server === undefined) return [];
    const tools = { new: 0, accepted: 0, changed: 0, gone: 0, refused: 0 };
    for (const { resource_id, state, _count } of counts)
      if (resource_id === resource.resource_id) tools[state as keyof typeof tools] = _count;
    const lister = listers.find(({ resource_id }) => resource_id === resource.resource_id);
    return [serverView(resource, server, { tools, lister: lister?.connection_id ?? null })];
  });
}

const reachedBy = (settings: AnyMcpServerSettings): Pick<McpServerView, 'transport' | 'url' | 'command'> =>
  isMcpStdio(settings)
    ? { transport: 'stdio', url: null, command: settings.command }
    : { transport: 'http', url: settings.url, command: null };

function serverView(
  { resource_id, name, settings: stored }: ResourceRow,
  row: ServerRow,
  { tools, lister }: { readonly tools: McpServerView['tools']; readonly lister: string | null },
): McpServerView {
  const settings = stored as unknown as AnyMcpServerSettings;
  const oauth = isMcpStdio(settings) ? null : oauthOf(settings);
  return {
    resource_id,
    name,
    ...reachedBy(settings),
    about: row.about as McpAbout | null,
    checked_at: row.checked_at === null ? null : Number(row.checked_at),
    due_at: Number(row.due_at),
    problem: row.problem as McpProblem | null,
    oauth:
      oauth === null
        ? null
        : {
            client_id: oauth.client_id,
            scopes: [...oauth.scopes],
            issuer: (row.oauth as McpAuthorization | null)?.issuer ?? null,
            listed_by: lister,
          },
    skipped: row.skipped as unknown as McpSkippedTool[],
    tools,
  };
}
