// SPDX-License-Identifier: Apache-2.0
import type { ImageSource } from '@writ/contract';
import { ImageError, type TenantImages } from '@writ/sandbox/images';

/**
 * Images of tenants in pods. Nodes fetch them from the repository of the sandbox image, and the chart's admission
 * policy lists their digests. They must have the agent: nothing is built or added here.
 */
export class PodImages implements TenantImages {
  readonly #repository: string;

  /** @param sandboxImage the reference by which nodes fetch the sandbox image */
  constructor(sandboxImage: string) {
    this.#repository = repositoryOf(sandboxImage);
  }

  runnable({ source }: { readonly source: ImageSource }, digest: string): Promise<string> {
    if ('recipe' in source)
      return refused(
        'an installation on Kubernetes builds no recipes: build the image elsewhere, with the agent in it',
      );
    if ('reference' in source && repositoryOf(source.reference) !== this.#repository)
      return refused(`nodes fetch images of sandboxes from \`${this.#repository}\` alone`);
    return Promise.resolve(digest);
  }

  passwd(): Promise<string> {
    return refused(
      "an installation on Kubernetes runs commands as the sandbox's user alone: its admission policy fixes it",
    );
  }

  async make(wanted: { readonly source: ImageSource }): Promise<string> {
    const { source } = wanted;
    const digest = 'digest' in source ? source.digest : 'reference' in source ? source.reference.split('@')[1] : '';
    return await this.runnable(wanted, digest ?? '');
  }
}

const refused = (message: string): Promise<never> => Promise.reject(new ImageError(message));

/** Without the tag and the digest. */
function repositoryOf(reference: string): string {
  const [name = ''] = reference.split('@');
  return name.replace(/:[^:/]+$/, '');
}
