// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import type { ApprovalDiff, Caller, Delta } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { fileDiffs } from '../support/file-diffs.ts';
import { KernelClient } from '../support/kernel-client.ts';

/** Shows a staged effect as a diff. Who may see it is the kernel's to say; contents are read from the tenant's own store. */
export class ShowDiff {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;

  constructor(kernel: KernelClient, blobs: BlobStore) {
    this.#kernel = kernel;
    this.#blobs = blobs;
  }

  /** Faults: `not_found`, `auth.role`, `conflict` where no effect is staged. */
  async run(caller: Caller, approvalId: string): Promise<ApprovalDiff> {
    const { effect_digest, delta, delta_ref } = await this.#kernel.ask('approval.effect', caller, { approval_id: approvalId });
    const whole = delta ?? (delta_ref === null ? null : parseJson(Buffer.from(await this.#blobs.get(caller.tenant_id, delta_ref.sha256)).toString('utf8')) as Delta);
    if (whole === null) throw new Error('the kernel named an effect without a delta');
    return { effect_digest, base_snapshot_id: whole.base, files: await fileDiffs(this.#blobs, caller.tenant_id, whole.changes), files_total: whole.changes.length };
  }
}
