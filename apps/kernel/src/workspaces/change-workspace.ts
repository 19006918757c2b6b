// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type KernelRequest, type TenantId, type WorkspaceView } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { applyDelta, parseSnapshotId } from '@writ/workspace';
import { badLink } from '../store/index.ts';
import { requireId, requireRole } from '../tenancy/index.ts';
import type { HeadMoves } from './head-moves.ts';
import { parseUpload, uploadDelta, type Upload } from './upload-delta.ts';

/** Puts files into a workspace and takes them away, for people. */
export class ChangeWorkspace {
  readonly #moves: HeadMoves;
  readonly #blobs: BlobStore;

  constructor(moves: HeadMoves, blobs: BlobStore) {
    this.#moves = moves;
    this.#blobs = blobs;
  }

  /** @throws Fault `auth.role`, those of `parseUpload`, `uploadDelta` and `HeadMoves.run` */
  async run({ caller, workspace_id, changes }: KernelRequest<'workspace.change'>): Promise<WorkspaceView> {
    requireRole(caller, 'admin', 'operator');
    requireId('workspace', workspace_id);
    const upload = parseUpload(changes);
    await this.#verifyContents(caller.tenant_id, upload);
    return await this.#moves.run(caller, workspace_id, {
      kind: 'changed',
      next: async (reader, { head_snapshot_id }) => {
        const delta = await uploadDelta(reader, head_snapshot_id, upload);
        return { delta, ...await applyDelta(reader, parseSnapshotId(head_snapshot_id), delta) };
      },
    });
  }

  async #verifyContents(tenantId: TenantId, upload: Upload): Promise<void> {
    const states = [...upload.values()].filter((state) => state !== null);
    const { max, fault } = LIMITS.deltaBytes;
    if (states.reduce((sum, { size }) => sum + size, 0) > max) throw new Fault(fault, `one change of a workspace brings at most ${max} bytes`);
    const named = states.flatMap(({ sha256, size }) => (sha256 === null ? [] : [{ sha256, size }]));
    const there = await this.#blobs.sizes(tenantId, [...new Set(named.map(({ sha256 }) => sha256))]);
    if (named.some(({ sha256, size }) => there.get(sha256) !== size)) throw new Fault('request.malformed', 'the changes name contents that were not stored', { pointer: '/changes' });
    const link = await badLink(this.#blobs, tenantId, [...upload].map(([path, after]) => ({ path, after })));
    if (link !== null) throw new Fault('request.malformed', link, { pointer: '/changes' });
  }
}
