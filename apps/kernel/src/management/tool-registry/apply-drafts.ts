// SPDX-License-Identifier: Apache-2.0
import { tenantDefinition } from '@writ/cli-tool';
import { DECLARED_TOOLS, Fault, type AppliedTool, type TenantTool } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { inSlices } from '@writ/worker-pool';
import type { ChangeRecord } from '../../evidence/changes/index.ts';
import { definitionDigest } from '../../judging/definitions/tenant-tools.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, type Rows } from '../../foundation/tenancy/index.ts';
import type { ToolDraft } from './read-file.ts';
import { activateVersion, storeVersion } from './tool-rows.ts';

/** Versions that are read at once. */
const READ_AT_ONCE = 32;

/** The newest version of a name, whether active or not; null for an unknown name. */
interface NewestVersion {
  readonly version: number;
  readonly inForce: string | null;
  /** the definition of that version */
  readonly document: unknown;
}

/** What a draft changes, and the tool that it makes. */
export interface ToolChange {
  readonly applied: AppliedTool;
  readonly tool: TenantTool;
}

/**
 * Activates all tools of the drafts. Callers MUST have locked the tenant's tools. From here to COMMIT no decision is
 * written, so callers MUST read nothing else afterwards.
 * @throws Fault `conflict` where the tenant would have too many
 */
export async function applyDrafts(
  rows: Rows,
  tenantId: string,
  by: string,
  drafts: readonly ToolDraft[],
  toolsMax: number = DECLARED_TOOLS.ofOneTenant,
): Promise<{ steps: readonly ToolChange[]; records: readonly ChangeRecord[] }> {
  const steps = await toolChanges(rows, tenantId, drafts, toolsMax);
  const changed = steps.filter(({ applied }) => applied.change !== 'unchanged');
  for (const { applied, tool } of changed) await storeVersion(rows, tenantId, by, { ...applied, document: tool });
  if (changed.length > 0) await callIn(rows, kernelSql.changeRules, { tenant: tenantId });
  for (const { applied, tool } of changed)
    await activateVersion(rows, tenantId, { ...applied, category: tool.category, updated_by: by });
  return {
    steps,
    records: changed.map(({ applied }) => recordOf('tool_applied', by, applied.tool_id, applied.definition_digest)),
  };
}

/** The change of each tool. @throws Fault `conflict` */
export async function toolChanges(
  rows: Rows,
  tenantId: string,
  drafts: readonly ToolDraft[],
  toolsMax: number = DECLARED_TOOLS.ofOneTenant,
): Promise<ToolChange[]> {
  const newest = await readNewestVersions(
    rows,
    tenantId,
    drafts.map(({ tool_id }) => tool_id),
  );
  const others = await rows.tool.count({
    where: {
      tenant_id: tenantId,
      definition_digest: { not: null },
      tool_id: { notIn: drafts.map(({ tool_id }) => tool_id) },
    },
  });
  if (others + drafts.length > toolsMax) throw new Fault('conflict', `a tenant has at most ${toolsMax} tools`);
  const changes: ToolChange[] = [];
  // A caller decides how many there are, and each is hashed.
  for await (const draft of inSlices(drafts)) changes.push(toolChange(draft, newest.get(draft.tool_id) ?? null));
  return changes;
}

/**
 * A version is new where its content is new. With the content of the newest version it is that version, and is
 * activated again if it was removed.
 */
function toolChange(draft: ToolDraft, newest: NewestVersion | null): ToolChange {
  const unchanged: TenantTool = { ...draft, version: newest?.version ?? 0 };
  const isSame = newest !== null && Buffer.compare(canonicalBytes(unchanged), canonicalBytes(newest.document)) === 0;
  const tool: TenantTool = isSame ? unchanged : { ...draft, version: (newest?.version ?? 0) + 1 };
  const definition_digest = definitionDigest(tenantDefinition(tool));
  const change =
    newest === null || newest.inForce === null
      ? 'created'
      : isSame && newest.inForce === definition_digest
        ? 'unchanged'
        : 'changed';
  return { tool, applied: { tool_id: tool.tool_id, version: tool.version, definition_digest, change } };
}

async function readNewestVersions(rows: Rows, tenantId: string, names: string[]): Promise<Map<string, NewestVersion>> {
  const found = await rows.tool.findMany({ where: { tenant_id: tenantId, tool_id: { in: names } } });
  const documents: unknown[] = [];
  // A caller decides how many there are, and queries that are made at once are made in one turn of the event loop.
  for (let start = 0; start < found.length; start += READ_AT_ONCE) {
    const versions = await Promise.all(
      found
        .slice(start, start + READ_AT_ONCE)
        .map(
          async ({ tool_id, version }) =>
            await rows.tool_version.findUniqueOrThrow({
              where: { tenant_id_tool_id_version: { tenant_id: tenantId, tool_id, version } },
            }),
        ),
    );
    documents.push(...versions.map(({ document }) => document));
  }
  return new Map(
    found.map(({ tool_id, version, definition_digest }, n) => [
      tool_id,
      { version, inForce: definition_digest, document: documents[n] },
    ]),
  );
}

/** The record of a change of a tool. */
export const recordOf = (verb: string, actor: string, subject: string, digest: string): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject, digest },
});
