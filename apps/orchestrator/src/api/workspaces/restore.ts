// SPDX-License-Identifier: Apache-2.0
import type { Caller, WorkspaceView } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { Snapshots } from './snapshots.ts';

/** The state to restore, and the path below which. */
export interface RestoreRequest {
  readonly at: string;
  readonly path?: string | undefined;
  readonly if_head?: string | undefined;
}

/** Has the kernel restore an earlier state. */
export class Restore {
  readonly #kernel: KernelClient;
  readonly #snapshots: Snapshots;

  constructor(kernel: KernelClient, snapshots: Snapshots) {
    this.#kernel = kernel;
    this.#snapshots = snapshots;
  }

  /** Faults: those of the kernel's restore. */
  async run(
    caller: Caller,
    workspace_id: string,
    { at, path = '', if_head = undefined }: RestoreRequest,
  ): Promise<WorkspaceView> {
    const { snapshotId: snapshot_id } = await this.#snapshots.open(caller, workspace_id, at);
    return await this.#kernel.ask('workspace.restore', caller, {
      workspace_id,
      snapshot_id,
      path,
      if_head: if_head ?? null,
    });
  }
}
