// SPDX-License-Identifier: Apache-2.0
import { tenantDefinition } from '@writ/cli-tool';
import {
  DECLARED_TOOLS,
  Fault,
  type AppliedTool,
  type KernelRequest,
  type TenantTool,
  type ToolsApplied,
} from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import type { ChangeRecord, Changes } from '../../evidence/changes/index.ts';
import { definitionDigest } from '../../judging/definitions/tenant-tools.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import { readFile, type ToolDraft } from './read-file.ts';
import { lockTools, activateVersion, storeVersion } from './tool-rows.ts';

/** The newest version of a name, whether active or not; null for an unknown name. */
interface NewestVersion {
  readonly version: number;
  readonly inForce: string | null;
  /** the definition of that version */
  readonly document: unknown;
}

interface ToolChange {
  readonly applied: AppliedTool;
  readonly tool: TenantTool;
}

const invalid = (problems: ToolsApplied['problems']): ToolsApplied => ({ valid: false, problems, tools: [] });

/** Registers programs, functions and operations of HTTP APIs as tools of a tenant, and removes them. */
export class ApplyTools {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /**
   * Activates all tools of the file, or none. Unchanged tools and tools that the file doesn't name stay as they are.
   * Problems of the file are returned as an answer and not as a fault. INVARIANT (wholly before or after): the active
   * versions change under the tenant's rules, which every decision holds.
   * @throws Fault `auth.role`, `conflict` where the tenant would have too many
   */
  async run({ caller, file, dry_run }: KernelRequest<'tool.apply'>): Promise<ToolsApplied> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    const { tools, problems } = readFile(file);
    if (problems.length > 0) return invalid(problems.map((problem) => ({ ...problem })));
    if (dry_run)
      return appliedTools(
        await this.#tenancy.within(tenant_id, async (rows) => await toolChanges(rows, tenant_id, tools)),
      );
    return await this.#changes.make(tenant_id, async (rows) => {
      await lockTools(rows, tenant_id);
      const steps = await toolChanges(rows, tenant_id, tools);
      const changed = steps.filter(({ applied }) => applied.change !== 'unchanged');
      for (const { applied, tool } of changed)
        await storeVersion(rows, tenant_id, api_key_id, { ...applied, document: tool });
      // From here to COMMIT no decision is written, so nothing else is read.
      if (changed.length > 0) await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      for (const { applied, tool } of changed)
        await activateVersion(rows, tenant_id, { ...applied, category: tool.category, updated_by: api_key_id });
      return {
        value: appliedTools(steps),
        records: changed.map(({ applied }) =>
          recordOf('tool_applied', api_key_id, applied.tool_id, applied.definition_digest),
        ),
      };
    });
  }

  /** Removes a tool. @throws Fault `auth.role`, `not_found` */
  async remove({ caller, tool_id }: KernelRequest<'tool.remove'>): Promise<{ removed: string }> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    if (tool_id.includes('\0')) throw new Fault('not_found');
    return await this.#changes.make(tenant_id, async (rows) => {
      await lockTools(rows, tenant_id);
      const row = await rows.tool.findUnique({ where: { tenant_id_tool_id: { tenant_id, tool_id } } });
      if (row === null || row.definition_digest === null) throw new Fault('not_found');
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      await activateVersion(rows, tenant_id, {
        tool_id,
        category: row.category,
        version: row.version,
        definition_digest: null,
        updated_by: api_key_id,
      });
      return {
        value: { removed: tool_id },
        records: [recordOf('tool_removed', api_key_id, tool_id, row.definition_digest)],
      };
    });
  }
}

const appliedTools = (steps: readonly ToolChange[]): ToolsApplied => ({
  valid: true,
  problems: [],
  tools: steps.map(({ applied }) => applied),
});

/** The change of each tool. @throws Fault `conflict` */
async function toolChanges(rows: Rows, tenantId: string, drafts: readonly ToolDraft[]): Promise<ToolChange[]> {
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
  if (others + drafts.length > DECLARED_TOOLS.ofOneTenant)
    throw new Fault('conflict', `a tenant has at most ${DECLARED_TOOLS.ofOneTenant} tools`);
  return drafts.map((draft) => toolChange(draft, newest.get(draft.tool_id) ?? null));
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
  const versions = await Promise.all(
    found.map(
      async ({ tool_id, version }) =>
        await rows.tool_version.findUniqueOrThrow({
          where: { tenant_id_tool_id_version: { tenant_id: tenantId, tool_id, version } },
        }),
    ),
  );
  return new Map(
    found.map(({ tool_id, version, definition_digest }, n) => [
      tool_id,
      { version, inForce: definition_digest, document: versions[n]?.document },
    ]),
  );
}

const recordOf = (verb: string, actor: string, subject: string, digest: string): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject, digest },
});
