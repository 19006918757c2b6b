// SPDX-License-Identifier: Apache-2.0
import { blobReader, type BlobStore } from '@writ/blobs';
import { Fault, type Caller } from '@writ/contract';
import { pacer } from '@writ/worker-pool';
import { parseSnapshotId, withPauses, type NodeReader } from '@writ/workspace';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** A state of a workspace, ready to be read. */
export interface OpenSnapshot {
  readonly snapshotId: string;
  /** hex SHA-256 of the root node */
  readonly root: string;
  readonly reader: NodeReader;
}

/** Opens states of workspaces. The kernel checks that the workspace has the state before its tree is read. */
export class Snapshots {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;

  constructor(kernel: KernelClient, blobs: BlobStore) {
    this.#kernel = kernel;
    this.#blobs = blobs;
  }

  /**
   * Opens the head if `when` is undefined. Otherwise `when` is a snapshot's id, or a time (RFC 3339) that selects the
   * head at that time. Faults: `not_found` for a workspace or a snapshot that isn't the caller's, and for a time before
   * the workspace was created; `request.malformed` for a date that doesn't exist.
   */
  async open(caller: Caller, workspaceId: string, when?: string): Promise<OpenSnapshot> {
    const { snapshot_id } = await this.#kernel.ask('workspace.snapshot', caller, {
      workspace_id: workspaceId,
      ...stateOf(when),
    });
    return {
      snapshotId: snapshot_id,
      root: parseSnapshotId(snapshot_id),
      reader: withPauses(blobReader(this.#blobs, caller.tenant_id), pacer()),
    };
  }
}

function stateOf(when: string | undefined): { snapshot_id: string | null; at: number | null } {
  if (when === undefined || when.startsWith('snap_')) return { snapshot_id: when ?? null, at: null };
  const at = Date.parse(when);
  if (!(at >= 0)) throw new Fault('request.malformed', '`at` is neither a snapshot nor a moment');
  return { snapshot_id: null, at };
}
