// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import type { BlobRef, Caller, SkillPut } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { contentsOf, type SentContent } from '../../edge/requests/sent-content.ts';

/** Puts the contents of a folder into the blob store, then asks the kernel for the version that names them. */
export class PutSkill {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;

  constructor(kernel: KernelClient, blobs: BlobStore) {
    this.#kernel = kernel;
    this.#blobs = blobs;
  }

  /**
   * What is wrong with the folder is the kernel's to say. Faults: `request.malformed` with the file's pointer, those of
   * the kernel.
   */
  async run(caller: Caller, files: readonly (SentContent & { readonly path: string })[]): Promise<SkillPut> {
    const contents = await contentsOf(files, (index) => `/files/${index}/content`);
    const refs = await this.#blobs.putMany(caller.tenant_id, contents);
    return await this.#kernel.ask('skill.put', caller, {
      files: files.map(({ path }, index) => ({ path, ref: refs[index] as BlobRef })),
    });
  }
}
