// SPDX-License-Identifier: Apache-2.0
import type { ApprovalDiff, BlobRef, Caller } from '@writ/contract';
import { FILES_MAX, fileDiffs, type DiffDependencies } from '../../calls/diffs/file-diffs.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { READ_DELTA } from '../../calls/call-tasks.ts';
import type { DeltaHead } from '../../calls/diffs/read-delta.ts';

/**
 * Shows a staged effect as a diff. The kernel decides who may see it; contents are read from the tenant's own store.
 */
export class ShowDiff {
  readonly #kernel: KernelClient;
  readonly #dependencies: DiffDependencies;

  constructor(kernel: KernelClient, dependencies: DiffDependencies) {
    this.#kernel = kernel;
    this.#dependencies = dependencies;
  }

  /** Faults: `not_found`, `auth.role`, `conflict` where no effect is staged. */
  async run(caller: Caller, approvalId: string): Promise<ApprovalDiff> {
    const { effect_digest, delta, delta_ref } = await this.#kernel.ask('approval.effect', caller, {
      approval_id: approvalId,
    });
    const { base, changes, total } =
      delta === null ? await this.#stored(caller, delta_ref) : { ...delta, total: delta.changes.length };
    return {
      effect_digest,
      base_snapshot_id: base,
      files: await fileDiffs(this.#dependencies, caller.tenant_id, changes),
      files_total: total,
    };
  }

  /** Parses a long delta in a worker thread. */
  async #stored({ tenant_id }: Caller, ref: BlobRef | null): Promise<DeltaHead> {
    if (ref === null) throw new Error('the kernel named an effect without a delta');
    return await this.#dependencies.tasks.run(READ_DELTA, tenant_id, {
      bytes: await this.#dependencies.blobs.get(tenant_id, ref.sha256),
      changesMax: FILES_MAX,
    });
  }
}
