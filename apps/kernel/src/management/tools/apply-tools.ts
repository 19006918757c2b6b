// SPDX-License-Identifier: Apache-2.0
import { cliDefinition, readToolFile, type CliToolDraft } from '@writ/cli-tool';
import {
  CLI_TOOLS,
  Fault,
  type AppliedTool,
  type CliTool,
  type KernelRequest,
  type ToolsApplied,
} from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import type { ChangeRecord, Changes } from '../../evidence/changes/index.ts';
import { definitionDigest } from '../../judging/tools/tenant-tools.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import { secretProblems } from './secret-problems.ts';
import { lockTools, putInForce, storeVersion } from './tool-rows.ts';

/** What stands under a name, newest version whether in force or not; null for a name that never was. */
interface NewestVersion {
  readonly version: number;
  readonly inForce: string | null;
  /** the definition of that version */
  readonly document: unknown;
}

interface Step {
  readonly applied: AppliedTool;
  readonly tool: CliTool;
}

const nothing = (problems: ToolsApplied['problems']): ToolsApplied => ({ valid: false, problems, tools: [] });

/** Registers programs as tools of a tenant, and takes them back. */
export class ApplyTools {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /**
   * Puts all tools of the file in force, or none. What is as it stands stays as it is, and tools that the file doesn't
   * name stay too. What is wrong with the file is an answer, not a fault. INVARIANT (wholly before or after): the
   * versions in force change under the tenant's rules, which every decision holds.
   * @throws Fault `auth.role`, `conflict` where the tenant would have too many
   */
  async run({ caller, file, dry_run }: KernelRequest<'tool.apply'>): Promise<ToolsApplied> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    const { tools, problems } = readToolFile(file);
    const wrong = [...problems, ...secretProblems(tools)];
    if (wrong.length > 0) return nothing(wrong.map((problem) => ({ ...problem })));
    if (dry_run)
      return told(await this.#tenancy.within(tenant_id, async (rows) => await stepsOf(rows, tenant_id, tools)));
    return await this.#changes.make(tenant_id, async (rows) => {
      await lockTools(rows, tenant_id);
      const steps = await stepsOf(rows, tenant_id, tools);
      const changed = steps.filter(({ applied }) => applied.change !== 'unchanged');
      for (const { applied, tool } of changed)
        await storeVersion(rows, tenant_id, api_key_id, { ...applied, document: tool });
      // From here to COMMIT no decision is written, so nothing more is read.
      if (changed.length > 0) await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      for (const { applied, tool } of changed)
        await putInForce(rows, tenant_id, { ...applied, category: tool.category, updated_by: api_key_id });
      return {
        value: told(steps),
        records: changed.map(({ applied }) =>
          recordOf('tool_applied', api_key_id, applied.tool_id, applied.definition_digest),
        ),
      };
    });
  }

  /** Takes a tool back. @throws Fault `auth.role`, `not_found` */
  async remove({ caller, tool_id }: KernelRequest<'tool.remove'>): Promise<{ removed: string }> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    if (tool_id.includes('\0')) throw new Fault('not_found');
    return await this.#changes.make(tenant_id, async (rows) => {
      await lockTools(rows, tenant_id);
      const row = await rows.tool.findUnique({ where: { tenant_id_tool_id: { tenant_id, tool_id } } });
      if (row === null || row.definition_digest === null) throw new Fault('not_found');
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      await putInForce(rows, tenant_id, {
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

const told = (steps: readonly Step[]): ToolsApplied => ({
  valid: true,
  problems: [],
  tools: steps.map(({ applied }) => applied),
});

/** What applying would do, tool by tool. @throws Fault `conflict` */
async function stepsOf(rows: Rows, tenantId: string, drafts: readonly CliToolDraft[]): Promise<Step[]> {
  const standing = await standingOf(
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
  if (others + drafts.length > CLI_TOOLS.ofOneTenant)
    throw new Fault('conflict', `a tenant has at most ${CLI_TOOLS.ofOneTenant} tools`);
  return drafts.map((draft) => stepOf(draft, standing.get(draft.tool_id) ?? null));
}

/**
 * A version is new where what it says is: one that says the same as the newest is that one, and comes back into force
 * if it was removed.
 */
function stepOf(draft: CliToolDraft, standing: NewestVersion | null): Step {
  const again: CliTool = { ...draft, version: standing?.version ?? 0 };
  const isSame = standing !== null && Buffer.compare(canonicalBytes(again), canonicalBytes(standing.document)) === 0;
  const tool = isSame ? again : { ...draft, version: (standing?.version ?? 0) + 1 };
  const definition_digest = definitionDigest(cliDefinition(tool));
  const change =
    standing === null || standing.inForce === null
      ? 'created'
      : isSame && standing.inForce === definition_digest
        ? 'unchanged'
        : 'changed';
  return { tool, applied: { tool_id: tool.tool_id, version: tool.version, definition_digest, change } };
}

async function standingOf(rows: Rows, tenantId: string, names: string[]): Promise<Map<string, NewestVersion>> {
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
