// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, WorkspaceView } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { pacer } from '@writ/worker-pool';
import { applyDelta, parseSnapshotId, runWithPauses } from '@writ/workspace';
import { requireId, requireRole } from '../../foundation/tenancy/index.ts';
import type { HeadMoves } from './head-moves.ts';
import { readingUpload, uploadDelta } from './upload-delta.ts';
import { verifyContents } from './verify-contents.ts';

/** Adds, changes and deletes files of a workspace for a person. */
export class ChangeWorkspace {
  readonly #moves: HeadMoves;
  readonly #blobs: BlobStore;

  constructor(moves: HeadMoves, blobs: BlobStore) {
    this.#moves = moves;
    this.#blobs = blobs;
  }

  /** @throws Fault `auth.role`, those of `readingUpload`, `uploadDelta` and `HeadMoves.run` */
  async run({ caller, workspace_id, changes }: KernelRequest<'workspace.change'>): Promise<WorkspaceView> {
    requireRole(caller, 'admin', 'operator');
    requireId('workspace', workspace_id);
    const upload = await runWithPauses(readingUpload(changes), pacer());
    await verifyContents(this.#blobs, caller.tenant_id, upload);
    return await this.#moves.run(caller, workspace_id, {
      kind: 'changed',
      next: async (reader, { head_snapshot_id }) => {
        const delta = await uploadDelta(reader, head_snapshot_id, upload);
        return { delta, ...(await applyDelta(reader, parseSnapshotId(head_snapshot_id), delta)) };
      },
    });
  }
}
