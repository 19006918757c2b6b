// SPDX-License-Identifier: Apache-2.0
import type { AnyMcpServerSettings, ToolCategory } from '@writ/contract';
import { acceptedTool, mcpToolId, type ServerOfTool } from '@writ/mcp-tool';
import { inSlices } from '@writ/worker-pool';
import type { ChangeRecord } from '../../evidence/changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, type Rows } from '../../foundation/tenancy/index.ts';
import { activateVersion, applyDrafts, recordOf } from '../tool-registry/index.ts';
import type { AcceptedDraft } from './accepted-definitions.ts';
import { definitionIn } from './tool-view.ts';

/** A tool that leaves force, with the verb of its record. */
interface TakenOut {
  readonly tool_id: string;
  readonly verb: string;
}

/** The server of tools, as it is now. */
export interface ServerOfTools {
  readonly tenant_id: string;
  readonly resource_id: string;
  readonly name: string;
  readonly digest: string;
  readonly settings: unknown;
}

/** What of a server decides the documents of its tools. */
export const serverOfTools = ({
  name,
  digest,
  settings,
}: Pick<ServerOfTools, 'name' | 'digest' | 'settings'>): ServerOfTool => {
  const { asks } = settings as AnyMcpServerSettings;
  return { name, digest, ...(asks === undefined ? {} : { asks }) };
};

/**
 * Takes tools out of force, and returns the records. Callers MUST have locked the tenant's tools. From here to COMMIT
 * no decision is written.
 */
export async function takeOut(
  rows: Rows,
  tenantId: string,
  by: string,
  taken: readonly TakenOut[],
): Promise<ChangeRecord[]> {
  if (taken.length === 0) return [];
  const found = await rows.tool.findMany({
    where: { tenant_id: tenantId, tool_id: { in: taken.map(({ tool_id }) => tool_id) } },
  });
  await callIn(rows, kernelSql.changeRules, { tenant: tenantId });
  const records: ChangeRecord[] = [];
  for (const { tool_id, verb } of taken) {
    const row = found.find((one) => one.tool_id === tool_id);
    if (row === undefined || row.definition_digest === null) continue;
    const { category, version, definition_digest } = row;
    const none = { tool_id, category, version, definition_digest: null, updated_by: by };
    await activateVersion(rows, tenantId, none);
    records.push(recordOf(verb, by, tool_id, definition_digest));
  }
  return records;
}

/**
 * Puts accepted tools of a server into force with its present settings, and returns the records: all of them, or those
 * that are named. Each keeps its category. Callers MUST have locked the tenant's tools. From here to COMMIT no decision
 * is written.
 */
export async function putIntoForce(
  rows: Rows,
  server: ServerOfTools,
  by: string,
  toolIds: readonly string[] | null = null,
): Promise<readonly ChangeRecord[]> {
  if (toolIds?.length === 0) return [];
  const { tenant_id, resource_id, name } = server;
  const named = toolIds === null ? {} : { tool_id: { in: [...toolIds] } };
  const accepted = await rows.mcp_tool.findMany({
    where: { tenant_id, resource_id, state: 'accepted', ...named },
    orderBy: { tool_id: 'asc' },
  });
  const tools = await rows.tool.findMany({
    where: { tenant_id, tool_id: { in: accepted.map(({ tool_id }) => tool_id) } },
    select: { tool_id: true, category: true },
  });
  const categories = new Map(tools.map(({ tool_id, category }) => [tool_id, category as ToolCategory]));
  const drafts: AcceptedDraft[] = [];
  const of = serverOfTools(server);
  // A server decided how many there are, and how long each is.
  for await (const { tool_id, accepted: bytes } of inSlices(accepted)) {
    const category = categories.get(tool_id);
    const local = tool_id.slice(mcpToolId(name, '').length);
    if (bytes !== null && category !== undefined) drafts.push(acceptedTool(of, local, definitionIn(bytes), category));
  }
  // They count already where a limit is checked, or did before their server changed them.
  return (await applyDrafts(rows, tenant_id, by, drafts, Infinity)).records;
}

/**
 * Takes the tools of a server that is being removed out of force, and returns the records. Callers MUST have locked the
 * tenant's tools.
 */
export async function removeServerTools(
  rows: Rows,
  { tenant_id, resource_id }: { readonly tenant_id: string; readonly resource_id: string },
  by: string,
): Promise<ChangeRecord[]> {
  const tools = await rows.mcp_tool.findMany({
    where: { tenant_id, resource_id, state: 'accepted' },
    select: { tool_id: true },
    orderBy: { tool_id: 'asc' },
  });
  return await takeOut(
    rows,
    tenant_id,
    by,
    tools.map(({ tool_id }) => ({ tool_id, verb: 'tool_removed' })),
  );
}
