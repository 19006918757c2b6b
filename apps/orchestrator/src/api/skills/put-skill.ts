// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import type { BlobRef, Caller, SkillPutReply } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { contentsOf, type SentContent } from '../../edge/requests/sent-content.ts';

/** Stores the contents of a folder as blobs, then has the kernel create the version that refers to them. */
export class PutSkill {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;

  constructor(kernel: KernelClient, blobs: BlobStore) {
    this.#kernel = kernel;
    this.#blobs = blobs;
  }

  /** The kernel validates the folder. Faults: `request.malformed` with the file's pointer, those of the kernel. */
  async run(
    caller: Caller,
    files: readonly (SentContent & { readonly path: string })[],
    condition: { readonly if_match?: string[] } = {},
  ): Promise<SkillPutReply> {
    const contents = await contentsOf(files, (index) => `/files/${index}/content`);
    const refs = await this.#blobs.putMany(caller.tenant_id, contents);
    return await this.#kernel.ask('skill.put', caller, {
      files: files.map(({ path }, index) => ({ path, ref: refs[index] as BlobRef })),
      ...condition,
    });
  }
}
