// SPDX-License-Identifier: Apache-2.0
import type { McpServerToolView } from '@writ/contract';
import { localNames, mcpToolId } from '@writ/mcp-tool';
import type { ChangeRecord } from '../../evidence/changes/index.ts';
import type { Rows } from '../../foundation/tenancy/index.ts';
import { recordOf } from '../tool-registry/index.ts';
import type { ListedTool } from './listed-tools.ts';
import { stateOf } from './tool-state.ts';
import { putIntoForce, takeOut, type ServerOfTools } from './tools-in-force.ts';

type State = McpServerToolView['state'];
type ToolRow = NonNullable<Awaited<ReturnType<Rows['mcp_tool']['findFirst']>>>;

const acceptedDigest = (known: readonly Pick<ToolRow, 'tool_id' | 'accepted_digest'>[], toolId: string): string =>
  known.find(({ tool_id }) => tool_id === toolId)?.accepted_digest ?? '';

/**
 * Writes what a server lists, and returns the records of the tools that came into force or left it by that. Tools that
 * nobody accepted and that are listed no more are forgotten, so that a server can't fill the table. Callers MUST have
 * locked the tenant's tools.
 */
export async function compareListing(
  rows: Rows,
  server: ServerOfTools,
  listed: readonly ListedTool[],
  { by, now: at }: { readonly by: string; readonly now: number },
): Promise<ChangeRecord[]> {
  const { tenant_id, resource_id } = server;
  const of = { tenant_id, resource_id };
  const known = await rows.mcp_tool.findMany({ where: of, omit: { seen: true, accepted: true } });
  const byName = new Map(known.map((row) => [row.remote_name, row]));
  const now = new Map(listed.map((tool) => [tool.name, tool]));
  const forgotten = known.filter((row) => row.accepted_digest === null && !now.has(row.remote_name));
  if (forgotten.length > 0)
    await rows.mcp_tool.deleteMany({
      where: { ...of, remote_name: { in: forgotten.map(({ remote_name }) => remote_name) } },
    });
  await insertNew(
    rows,
    server,
    known,
    listed.filter(({ name }) => !byName.has(name)),
    at,
  );
  const moved: { readonly tool_id: string; readonly from: State; readonly to: State }[] = [];
  for (const row of known) {
    const tool = now.get(row.remote_name) ?? null;
    if ((tool === null && row.accepted_digest === null) || (tool?.digest ?? null) === row.seen_digest) continue;
    const to = stateOf({ ...row, seen_digest: tool?.digest ?? null });
    await rows.mcp_tool.updateMany({ where: { ...of, remote_name: row.remote_name }, data: seenColumns(tool, to, at) });
    moved.push({ tool_id: row.tool_id, from: row.state as State, to });
  }
  const out = moved.filter(({ from, to }) => from === 'accepted' && to !== 'accepted');
  const back = moved.filter(({ from, to }) => from !== 'accepted' && to === 'accepted').map(({ tool_id }) => tool_id);
  const taken = await takeOut(
    rows,
    tenant_id,
    by,
    out.map(({ tool_id, to }) => ({ tool_id, verb: to === 'gone' ? 'mcp_tool_gone' : 'mcp_tool_changed' })),
  );
  const restored = back.map((tool_id) => recordOf('mcp_tool_restored', by, tool_id, acceptedDigest(known, tool_id)));
  return [...taken, ...restored, ...(await putIntoForce(rows, server, by, back))];
}

async function insertNew(
  rows: Rows,
  { tenant_id, resource_id, name: server }: ServerOfTools,
  known: readonly Pick<ToolRow, 'remote_name' | 'tool_id'>[],
  fresh: readonly ListedTool[],
  at: number,
): Promise<void> {
  if (fresh.length === 0) return;
  const prefix = mcpToolId(server, '');
  const assigned = new Map(known.map(({ remote_name, tool_id }) => [remote_name, tool_id.slice(prefix.length)]));
  const names = localNames(
    fresh.map(({ name }) => name),
    assigned,
  );
  await rows.mcp_tool.createMany({
    data: fresh.map((tool) => ({
      tenant_id,
      resource_id,
      remote_name: tool.name,
      tool_id: mcpToolId(server, names.get(tool.name) ?? ''),
      ...seenColumns(tool, 'new', at),
    })),
  });
}

const seenColumns = (tool: ListedTool | null, state: State, at: number) => ({
  seen: tool === null ? null : new Uint8Array(tool.bytes),
  seen_digest: tool?.digest ?? null,
  seen_at: BigInt(at),
  problems: (tool?.problems ?? []).map((problem) => ({ ...problem })),
  suggested: tool?.suggested ?? 'write',
  state,
});
