// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type ToolsApplied } from '@writ/contract';
import type { TaskRunner } from '@writ/worker-pool';
import type { Changes } from '../../evidence/changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, requireRole, type Tenancy } from '../../foundation/tenancy/index.ts';
import { applyDrafts, recordOf, toolChanges, type ToolChange } from './apply-drafts.ts';
import type { ManagementTasks } from '../worker-tasks.ts';
import { readFile, type FileRead } from './read-file.ts';
import { activateVersion, lockTools } from './tool-rows.ts';

/** The bound, in milliseconds, on reading a file of tools in a thread: it may have hundreds of schemas. */
const READ_WALL_MS = 30_000;

const invalid = (problems: ToolsApplied['problems']): ToolsApplied => ({ valid: false, problems, tools: [] });

/** Registers programs, functions and operations of HTTP APIs as tools of a tenant, and removes them. */
export class ApplyTools {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #work: TaskRunner<ManagementTasks> | null;

  /** @param work null: files are read on the event loop, for programs of one user and for specs */
  constructor(tenancy: Tenancy, changes: Changes, work: TaskRunner<ManagementTasks> | null = null) {
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#work = work;
  }

  /**
   * Activates all tools of the file, or none. Unchanged tools and tools that the file doesn't name stay as they are.
   * Problems of the file are returned as an answer and not as a fault. INVARIANT (wholly before or after): the active
   * versions change under the tenant's rules, which every decision holds.
   * @throws Fault `auth.role`, `limit.exceeded`; `conflict` where the tenant would have too many
   */
  async run({ caller, file, dry_run }: KernelRequest<'tool.apply'>): Promise<ToolsApplied> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    const { tools, problems } = await this.#read(tenant_id, file);
    if (problems.length > 0) return invalid(problems.map((problem) => ({ ...problem })));
    if (dry_run)
      return appliedTools(
        await this.#tenancy.within(tenant_id, async (rows) => await toolChanges(rows, tenant_id, tools)),
      );
    return await this.#changes.make(tenant_id, async (rows) => {
      await lockTools(rows, tenant_id);
      const { steps, records } = await applyDrafts(rows, tenant_id, api_key_id, tools);
      return { value: appliedTools(steps), records };
    });
  }

  /** An administrator decides how long it takes. */
  async #read(tenantId: string, file: Readonly<Record<string, unknown>>): Promise<FileRead> {
    if (this.#work === null) return readFile(file);
    return await this.#work.run('tools.read', file, { tenantId, wallMs: READ_WALL_MS });
  }

  /** Removes a tool. @throws Fault `auth.role`, `not_found`; `conflict` for a tool of an MCP server */
  async remove({ caller, tool_id }: KernelRequest<'tool.remove'>): Promise<{ removed: string }> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    if (tool_id.includes('\0')) throw new Fault('not_found');
    if (tool_id.startsWith('mcp.'))
      throw new Fault('conflict', 'a tool of an MCP server is refused there, with its definition');
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
