// SPDX-License-Identifier: Apache-2.0
//
// What a client that sees one server alone needs of it. Every caller of the tenant may ask: it sees the tools in force
// and their ids anyway.
import type { KernelRequest, McpDefinitions, McpToolFound } from '@writ/contract';
import type { Rows, Tenancy } from '../../foundation/tenancy/index.ts';
import { definitionIn } from './tool-view.ts';
import { serverNamed } from './server-named.ts';

/** Half of what one message holds. One definition fits in any case. */
const REPLY_BYTES_MAX = 512 * 1024;

/**
 * The tool that has this name at the server, if its definition was ever accepted. A tool that is out of force
 * keeps its id, so that a call of it is refused and recorded under that id.
 */
export async function findTool(
  tenancy: Tenancy,
  { caller: { tenant_id }, name, remote_name }: KernelRequest<'mcp_server.find_tool'>,
): Promise<McpToolFound> {
  // The database rejects NUL in a query, and no name has it.
  if (remote_name.includes('\0')) return { tool: null };
  return await tenancy.within(tenant_id, async (rows) => {
    const resource_id = await serverId(rows, tenant_id, name);
    if (resource_id === null) return { tool: null };
    const where = { tenant_id_resource_id_remote_name: { tenant_id, resource_id, remote_name } };
    const found = await rows.mcp_tool.findUnique({ where, select: { tool_id: true, accepted_digest: true } });
    if (found === null || found.accepted_digest === null) return { tool: null };
    return { tool: { tool_id: found.tool_id, digest: found.accepted_digest } };
  });
}

/** The accepted definitions of tools that are in force, as many as fit, in the order of the request. */
export async function definitionsOf(
  tenancy: Tenancy,
  { caller: { tenant_id }, name, tool_ids }: KernelRequest<'mcp_server.definitions'>,
): Promise<McpDefinitions> {
  return await tenancy.within(tenant_id, async (rows) => {
    const resource_id = await serverId(rows, tenant_id, name);
    if (resource_id === null) return { items: [], rest: [] };
    const where = { tenant_id, resource_id, state: 'accepted', tool_id: { in: tool_ids } };
    const found = await rows.mcp_tool.findMany({
      where,
      select: { tool_id: true, accepted: true, accepted_digest: true },
    });
    const byId = new Map(found.map((row) => [row.tool_id, row]));
    const items: McpDefinitions['items'] = [];
    let bytes = 0;
    for (const [at, tool_id] of tool_ids.entries()) {
      const { accepted, accepted_digest: digest } = byId.get(tool_id) ?? { accepted: null, accepted_digest: null };
      if (accepted === null || digest === null) continue;
      bytes += accepted.length;
      if (items.length > 0 && bytes > REPLY_BYTES_MAX) return { items, rest: tool_ids.slice(at) };
      items.push({ tool_id, digest, definition: definitionIn(accepted) });
    }
    return { items, rest: [] };
  });
}

async function serverId(rows: Rows, tenant_id: string, name: string): Promise<string | null> {
  const found = await rows.resource.findFirst({ where: serverNamed(tenant_id, name), select: { resource_id: true } });
  return found?.resource_id ?? null;
}
