// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import type { Caller, OutputRef } from '@writ/contract';
import { openedParts } from '@writ/sealing';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** One stream of a full output. */
export interface StoredOutput extends OutputRef {
  /**
   * the decrypted content in parts; the iteration fails after the last part if the content doesn't match its hash or
   * its seal
   */
  readonly parts: () => AsyncIterable<Uint8Array>;
}

/** Finds the full output of a command. The kernel decides whether the caller may see it, and names its content. */
export class ReadOutput {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;

  constructor(kernel: KernelClient, blobs: BlobStore) {
    this.#kernel = kernel;
    this.#blobs = blobs;
  }

  /** Faults: `not_found`, `output.not_kept`. */
  async run(caller: Caller, operationId: string, stream: 'stdout' | 'stderr'): Promise<StoredOutput> {
    const { ref, opens } = await this.#kernel.ask('operation.output', caller, { operation_id: operationId, stream });
    const stored = (): AsyncIterable<Uint8Array> => this.#blobs.getStream(caller.tenant_id, ref.sha256);
    if (opens === undefined) return { ...ref, parts: stored };
    const seal = {
      key: Buffer.from(opens.key, 'base64'),
      tenantId: caller.tenant_id,
      operationId,
      attempt: opens.attempt,
    };
    return { ...ref, parts: () => openedParts(seal, stream, stored()) };
  }
}
