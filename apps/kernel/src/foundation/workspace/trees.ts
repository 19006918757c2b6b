// SPDX-License-Identifier: Apache-2.0
import type { FileState, TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { pacer } from '@writ/worker-pool';
import {
  lookup,
  parseSnapshotId,
  resolveLinks,
  stateOf,
  withPauses,
  type NodeReader,
  type WorkspacePath,
} from '@writ/workspace';

/**
 * Reads the trees of a tenant's workspaces. Every method may fail with `blob.missing`, `blob.corrupt`,
 * `database.unavailable`.
 */
export class Trees {
  readonly #blobs: BlobStore;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /**
   * The path with its links followed, the last one too; a part that doesn't exist stays as written. Fails also as
   * `resolveLinks` of libs/workspace.
   */
  async resolve(tenantId: TenantId, snapshotId: string, path: WorkspacePath): Promise<WorkspacePath> {
    return (await resolveLinks(this.reader(tenantId), parseSnapshotId(snapshotId), path)).path;
  }

  /** The file at the path, without following a link there; null for none. */
  async at(tenantId: TenantId, snapshotId: string, path: WorkspacePath): Promise<FileState | null> {
    return stateOf(await lookup(this.reader(tenantId), parseSnapshotId(snapshotId), path));
  }

  /** The tenant's nodes and contents by hash. INVARIANT (no long turn): large trees are worked on with pauses. */
  reader(tenantId: TenantId): NodeReader {
    return withPauses((sha256) => this.#blobs.get(tenantId, sha256), pacer());
  }
}
