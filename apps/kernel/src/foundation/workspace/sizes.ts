// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { parseSnapshotId, sizeOf } from '@writ/workspace';
import { kernelSql } from '../database/functions/index.ts';
import type { TenantPool } from '../database/pools.ts';
import type { Trees } from './trees.ts';

/**
 * Counts workspaces that are not counted yet: those from before there were quotas, and those whose heads an older
 * version moved.
 */
export class Sizes {
  readonly #tenants: TenantPool;
  readonly #trees: Trees;

  constructor(tenants: TenantPool, trees: Trees) {
    this.#tenants = tenants;
    this.#trees = trees;
  }

  /**
   * Resolves once the workspace, or each of the tenant's, is counted at the head that it had. A workspace whose head
   * moved meanwhile may remain uncounted.
   * @throws Fault as the blob store and the database
   */
  async count(tenantId: TenantId, workspaceId: string | null = null): Promise<void> {
    const found = await kernelSql.uncounted(this.#tenants.pool, { tenant: tenantId, workspace: workspaceId });
    // One after another, with pauses: each may be a tree of many directories, all of them cached.
    const reader = this.#trees.reader(tenantId);
    for (const { workspace_id, snapshot_id, seq } of found) {
      const { files, bytes } = await sizeOf(reader, parseSnapshotId(snapshot_id));
      await kernelSql.putSize(this.#tenants.pool, { tenant: tenantId, workspace: workspace_id, seq, files, bytes });
    }
  }
}
