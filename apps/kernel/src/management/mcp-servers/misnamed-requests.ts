// SPDX-License-Identifier: Apache-2.0
import { isServerRequest, requestName } from '@writ/mcp-tool';
import type { Rows } from '../../foundation/tenancy/index.ts';
import type { ListedTool, ListedTools } from './listed-tools.ts';

type ToolRow = NonNullable<Awaited<ReturnType<Rows['mcp_tool']['findFirst']>>>;
type NamedRow = Pick<ToolRow, 'remote_name' | 'tool_id'>;

/**
 * The listing without the requests of MCP whose id is another one than rules of a policy name. INVARIANT (rules find
 * it): such a request can't be called. Its id belongs to a tool that was listed before ids of requests were kept free,
 * and no id comes to mean another tool. Callers MUST have locked the tenant's tools.
 */
export async function withoutMisnamed(
  rows: Rows,
  { tenant_id, resource_id }: { readonly tenant_id: string; readonly resource_id: string },
  { tools, skipped }: ListedTools,
): Promise<ListedTools> {
  if (!tools.some(({ name }) => isServerRequest(name))) return { tools, skipped };
  const known = await rows.mcp_tool.findMany({
    where: { tenant_id, resource_id },
    select: { remote_name: true, tool_id: true },
  });
  const read = tools.map((tool) => ({ tool, problem: misnamed(tool, known) }));
  return {
    tools: read.filter(({ problem }) => problem === null).map(({ tool }) => tool),
    skipped: [
      ...skipped,
      ...read.flatMap(({ tool: { name }, problem }) => (problem === null ? [] : [{ name, problem }])),
    ],
  };
}

/** Why the request can't be used; null for a tool, and for a request that has its own id or can have it. */
function misnamed({ name }: ListedTool, known: readonly NamedRow[]): string | null {
  if (!isServerRequest(name)) return null;
  const local = requestName(name);
  // No last part of an id has a dot.
  const owner = known.find(({ tool_id }) => tool_id.endsWith(`.${local}`))?.remote_name;
  const own = known.find(({ remote_name }) => remote_name === name)?.tool_id;
  if (owner === name || (owner === undefined && own === undefined)) return null;
  return owner === undefined
    ? `it was listed under another id than that of \`${local}\`: refuse the definition that was accepted`
    : `a tool of the server has its id, \`${local}\`, since an earlier listing: remove the server, and register it again`;
}
