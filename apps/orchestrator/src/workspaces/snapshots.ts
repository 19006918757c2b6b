// SPDX-License-Identifier: Apache-2.0
import { blobReader, type BlobReader, type BlobStore } from '@writ/blobs';
import type { Caller } from '@writ/contract';
import { parseSnapshotId } from '@writ/workspace';
import { KernelClient } from '../support/kernel-client.ts';

/** A state of a workspace, ready to be read. */
export interface OpenSnapshot {
  readonly snapshotId: string;
  /** hex SHA-256 of the root node */
  readonly root: string;
  readonly reader: BlobReader;
}

/** Opens states of workspaces. The kernel says which states a workspace has; only then a tree is read. */
export class Snapshots {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;

  constructor(kernel: KernelClient, blobs: BlobStore) {
    this.#kernel = kernel;
    this.#blobs = blobs;
  }

  /** Undefined opens the head. Faults: `not_found` for a workspace or a snapshot that isn't the caller's. */
  async open(caller: Caller, workspaceId: string, snapshotId?: string): Promise<OpenSnapshot> {
    const { snapshot_id } = await this.#kernel.ask('workspace.snapshot', caller, { workspace_id: workspaceId, snapshot_id: snapshotId ?? null });
    return { snapshotId: snapshot_id, root: parseSnapshotId(snapshot_id), reader: blobReader(this.#blobs, caller.tenant_id) };
  }
}
