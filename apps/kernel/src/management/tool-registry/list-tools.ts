// SPDX-License-Identifier: Apache-2.0
import { parseMessage, TenantTool, type TenantToolView, type KernelRequest } from '@writ/contract';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import type { ListPage } from '@writ/paging';
import type { Tenancy } from '../../foundation/tenancy/index.ts';

/** Shows a tenant's active tools to the roles that may call them. */
export class ListTools {
  readonly #tenancy: Tenancy;

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy;
  }

  /** By name. @throws Fault `request.malformed` */
  async run({ caller, page, tool_id }: KernelRequest<'tool.list'>): Promise<ListPage<TenantToolView>> {
    const { tenant_id } = caller;
    const { id: after } = page.cursor === null ? { id: '' } : parseCursor(page.cursor);
    // No name contains NUL, and the database rejects NUL in a query.
    const named = tool_id === null ? { gt: after } : tool_id.replaceAll('\0', '');
    const views = await this.#tenancy.within(tenant_id, async (rows) => {
      const active = await rows.tool.findMany({
        where: { tenant_id, tool_id: named, definition_digest: { not: null } },
        orderBy: { tool_id: 'asc' },
        take: page.limit + 1,
      });
      const versions = await rows.tool_version.findMany({
        where: {
          tenant_id,
          definition_digest: { in: active.flatMap(({ definition_digest }) => definition_digest ?? []) },
        },
      });
      const byDigest = new Map(versions.map((version) => [version.definition_digest, version]));
      return active.flatMap(({ definition_digest, updated_by, updated_at }) => {
        const version = byDigest.get(definition_digest ?? '');
        return version === undefined
          ? []
          : [
              {
                tool: parseMessage(TenantTool, version.document),
                definition_digest: version.definition_digest,
                applied_by: updated_by,
                applied_at: Number(updated_at),
              },
            ];
      });
    });
    return fittedPage(views, page.limit, ({ tool }) => ({ created_at: 0, id: tool.tool_id }));
  }
}
