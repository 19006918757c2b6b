// SPDX-License-Identifier: Apache-2.0
import type { ChangeRecord } from '../../evidence/changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, type Rows } from '../../foundation/tenancy/index.ts';
import { activateVersion, recordOf } from '../tool-registry/index.ts';

/** A tool whose version comes into force or leaves it. */
interface Switched {
  readonly tool_id: string;
  /** the verb of the record */
  readonly verb: string;
  /** whether its newest version, which is the accepted one, is in force from now on */
  readonly inForce: boolean;
}

/**
 * Takes tools out of force, or puts their accepted versions into force again, and returns the records. Callers MUST
 * have locked the tenant's tools. From here to COMMIT no decision is written.
 */
export async function switchTools(
  rows: Rows,
  tenantId: string,
  by: string,
  switched: readonly Switched[],
): Promise<ChangeRecord[]> {
  if (switched.length === 0) return [];
  const found = await rows.tool.findMany({
    where: { tenant_id: tenantId, tool_id: { in: switched.map(({ tool_id }) => tool_id) } },
  });
  const versions = await rows.tool_version.findMany({
    where: { tenant_id: tenantId, OR: found.map(({ tool_id, version }) => ({ tool_id, version })) },
    select: { tool_id: true, definition_digest: true },
  });
  await callIn(rows, kernelSql.changeRules, { tenant: tenantId });
  const records: ChangeRecord[] = [];
  for (const { tool_id, verb, inForce } of switched) {
    const row = found.find((one) => one.tool_id === tool_id);
    const digest = versions.find((one) => one.tool_id === tool_id)?.definition_digest;
    if (row === undefined || digest === undefined) continue;
    const { category, version } = row;
    await activateVersion(rows, tenantId, {
      tool_id,
      category,
      version,
      definition_digest: inForce ? digest : null,
      updated_by: by,
    });
    records.push(recordOf(verb, by, tool_id, digest));
  }
  return records;
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
  return await switchTools(
    rows,
    tenant_id,
    by,
    tools.map(({ tool_id }) => ({ tool_id, verb: 'tool_removed', inForce: false })),
  );
}
