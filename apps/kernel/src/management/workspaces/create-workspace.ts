// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, WorkspaceView } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { emptyTree, snapshotIdOf } from '@writ/workspace';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import { newId } from '@writ/nest-kit';
import { requireFound, requireRole } from '../../foundation/tenancy/index.ts';

/** Creates empty workspaces. */
export class CreateWorkspace {
  readonly #changes: Changes;
  readonly #blobs: BlobStore;

  constructor(changes: Changes, blobs: BlobStore) {
    this.#changes = changes;
    this.#blobs = blobs;
  }

  /** @throws Fault `auth.role`, `not_found` for an unknown tenant */
  async run({ caller, name }: KernelRequest<'workspace.create'>): Promise<WorkspaceView> {
    requireRole(caller, 'admin', 'operator');
    const { tenant_id } = caller;
    const workspace_id = newId('workspace');
    const empty = emptyTree();
    const head_snapshot_id = snapshotIdOf(empty.root);
    // Stored before anything references it.
    await this.#blobs.putMany(
      tenant_id,
      empty.nodes.map(({ bytes }) => bytes),
    );
    return await this.#changes.make(tenant_id, async (rows, now) => {
      requireFound(await rows.tenant.findUnique({ where: { tenant_id }, select: { tenant_id: true } }));
      await rows.workspace.createMany({
        data: [{ workspace_id, tenant_id, name, head_snapshot_id, created_at: now, updated_at: now }],
      });
      await rows.snapshot.createMany({
        data: [
          {
            workspace_id,
            seq: 0,
            tenant_id,
            snapshot_id: head_snapshot_id,
            kind: 'created',
            made_by: caller.api_key_id,
            created_at: now,
          },
        ],
      });
      return {
        value: { workspace_id, name, head_snapshot_id, created_at: now, updated_at: now },
        records: [
          {
            kind: 'workspace',
            actor: caller.api_key_id,
            workspace_id,
            new_snapshot_id: head_snapshot_id,
            change: { verb: 'workspace_created', subject: workspace_id, digest: contentDigest({ workspace_id, name }) },
          },
        ],
      };
    });
  }
}
