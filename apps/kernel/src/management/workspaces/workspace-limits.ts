// SPDX-License-Identifier: Apache-2.0
import type { Caller, KernelRequest, WorkspaceLimits } from '@writ/contract';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import type { Sizes } from '../../foundation/workspace/sizes.ts';
import {
  requireFound,
  workspaceSizes,
  plainRow,
  requireId,
  requireRole,
  withQuota,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';

/** The quota of one workspace. The tenant's quota applies in addition, and only the platform sets it. */
export class LimitWorkspace {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #sizes: Sizes;

  constructor(tenancy: Tenancy, changes: Changes, sizes: Sizes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#sizes = sizes;
  }

  /** @throws Fault `not_found` */
  async read({ caller, workspace_id }: KernelRequest<'workspace.limits.read'>): Promise<WorkspaceLimits> {
    requireId('workspace', workspace_id);
    await this.#sizes.count(caller.tenant_id, workspace_id);
    return await this.#tenancy.within(caller.tenant_id, async (rows) => await limitsOf(rows, caller, workspace_id));
  }

  /**
   * Limits that the change doesn't name stay. A limit that is set to its current value is no change and has no record.
   * @throws Fault `auth.role`, `not_found`
   */
  async set({ caller, workspace_id, change }: KernelRequest<'workspace.limits.set'>): Promise<WorkspaceLimits> {
    requireRole(caller, 'admin');
    requireId('workspace', workspace_id);
    const { tenant_id, api_key_id } = caller;
    return await withQuota(
      this.#sizes,
      tenant_id,
      workspace_id,
      change,
      async (isCounted) =>
        await this.#changes.make(tenant_id, async (rows) => {
          if (!(await isCounted(rows))) return { value: null, records: [] };
          const before = await limitsOf(rows, caller, workspace_id);
          const value: WorkspaceLimits = { ...before, ...change };
          if (value.files_max === before.files_max && value.bytes_max === before.bytes_max)
            return { value: before, records: [] };
          await rows.workspace.updateMany({ where: { workspace_id, tenant_id }, data: change });
          const { files_max, bytes_max } = value;
          const digest = contentDigest({ workspace_id, files_max, bytes_max });
          return {
            value,
            records: [
              {
                kind: 'workspace',
                actor: api_key_id,
                workspace_id,
                change: { verb: 'workspace_limits_changed', subject: workspace_id, digest },
              },
            ],
          };
        }),
    );
  }
}

async function limitsOf(rows: Rows, { tenant_id }: Caller, workspace_id: string): Promise<WorkspaceLimits> {
  const { files_max, bytes_max } = plainRow(
    requireFound(
      await rows.workspace.findFirst({
        where: { workspace_id, tenant_id },
        select: { files_max: true, bytes_max: true },
      }),
    ),
  );
  return { workspace_id, files_max, bytes_max, ...(await workspaceSizes(rows, { tenant_id, workspace_id })) };
}
