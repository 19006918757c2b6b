// SPDX-License-Identifier: Apache-2.0
import { parseMessage, McpRemoteTool, type McpServerToolView, type ToolCategory } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { defaultCategory, stricterCategory } from '@writ/mcp-tool';
import type { Rows } from '../../foundation/tenancy/index.ts';

export type McpToolRow = NonNullable<Awaited<ReturnType<Rows['mcp_tool']['findFirst']>>>;

/** The definition in stored bytes. */
export const definitionIn = (bytes: Uint8Array): McpRemoteTool =>
  parseMessage(McpRemoteTool, parseJson(Buffer.from(bytes).toString('utf8')));

const seenOf = (bytes: Uint8Array | null, digest: string | null): McpServerToolView['seen'] =>
  bytes === null || digest === null ? null : { digest, definition: definitionIn(bytes) };

/** The categories of the tenant's tools, by id; also of those that are out of force. */
export async function categoriesOf(
  rows: Rows,
  tenant_id: string,
  toolIds: readonly string[],
): Promise<ReadonlyMap<string, ToolCategory>> {
  const found = await rows.tool.findMany({
    where: { tenant_id, tool_id: { in: [...toolIds] } },
    select: { tool_id: true, category: true },
  });
  return new Map(found.map(({ tool_id, category }) => [tool_id, category as ToolCategory]));
}

/** The category of a definition that is accepted without one. Only an administrator makes a category less strict. */
export const categoryUnlessGiven = (
  definition: Pick<McpRemoteTool, 'annotations'>,
  present: ToolCategory | null,
): ToolCategory => stricterCategory(defaultCategory(definition), present ?? 'read');

/**
 * A tool of a server, with both definitions: a reader compares them.
 * @param category of the tool as it was accepted last; null: it never was
 */
export function toolView(server: string, row: McpToolRow, category: ToolCategory | null): McpServerToolView {
  const seen = seenOf(row.seen, row.seen_digest);
  return {
    server,
    remote_name: row.remote_name,
    tool_id: row.tool_id,
    state: row.state as McpServerToolView['state'],
    seen,
    accepted: seenOf(row.accepted, row.accepted_digest),
    problems: row.problems as unknown as McpServerToolView['problems'],
    suggested: row.suggested as McpServerToolView['suggested'],
    category,
    category_then: categoryUnlessGiven(seen?.definition ?? {}, category),
    seen_at: Number(row.seen_at),
    decided_by: row.decided_by,
    decided_at: row.decided_at === null ? null : Number(row.decided_at),
  };
}
