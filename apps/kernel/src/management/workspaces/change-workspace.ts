// SPDX-License-Identifier: Apache-2.0
import { ANY_STATE, Fault, type KernelRequest, type WorkspaceView } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { changedMeanwhile } from '@writ/nest-kit';
import { pacer } from '@writ/worker-pool';
import { applyDelta, parseSnapshotId, runWithPauses, type NodeReader, type WorkspacePath } from '@writ/workspace';
import { requireId, requireRole } from '../../foundation/tenancy/index.ts';
import { CachedTree } from './cached-tree.ts';
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

  /**
   * The head moves only from the state that the conditions were compared with: else both are done again.
   * @throws Fault `auth.role`, `precondition.failed`, those of `readingUpload`, `uploadDelta` and `HeadMoves.run`
   */
  async run(request: KernelRequest<'workspace.change'>): Promise<WorkspaceView> {
    const { caller, workspace_id, changes } = request;
    requireRole(caller, 'admin', 'operator');
    requireId('workspace', workspace_id);
    verifyConditions(request);
    const upload = await runWithPauses(readingUpload(changes), pacer());
    await verifyContents(this.#blobs, caller.tenant_id, upload);
    return await this.#moves.run(caller, workspace_id, {
      kind: 'changed',
      next: async (reader, { head_snapshot_id }) => {
        for (const path of upload.keys()) await requireFileMatch(request, reader, head_snapshot_id, path);
        const delta = await uploadDelta(reader, head_snapshot_id, upload);
        return { delta, ...(await applyDelta(reader, parseSnapshotId(head_snapshot_id), delta)) };
      },
    });
  }
}

type Conditions = Pick<KernelRequest<'workspace.change'>, 'if_match' | 'if_absent'>;

/** @throws Fault `request.malformed` */
function verifyConditions({ if_match, if_absent, changes }: KernelRequest<'workspace.change'>): void {
  if (if_match === undefined && if_absent === undefined) return;
  if (changes.length !== 1 || (if_match !== undefined && if_absent !== undefined))
    throw new Fault('request.malformed', '`/if_match` or `/if_absent` goes with a single change', {
      pointer: if_match === undefined ? '/if_absent' : '/if_match',
    });
}

/** @throws Fault `precondition.failed` */
async function requireFileMatch(
  { if_match, if_absent }: Conditions,
  reader: NodeReader,
  head: string,
  path: WorkspacePath,
): Promise<void> {
  if (if_match === undefined && if_absent === undefined) return;
  const before = await new CachedTree(reader, parseSnapshotId(head)).at(path);
  if (if_absent === true && before !== null)
    throw new Fault('precondition.failed', 'there is something at the path already, so nothing was changed');
  if (if_match === undefined) return;
  const isAny = before !== null && if_match.includes(ANY_STATE);
  if (!isAny && !if_match.includes(before?.sha256 ?? '')) throw changedMeanwhile(before?.sha256 ?? null);
}
