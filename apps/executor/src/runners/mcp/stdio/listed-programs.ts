// SPDX-License-Identifier: Apache-2.0
import { Fault, type McpClaim } from '@writ/contract';
import { sourceFrom, type TenantImages } from '@writ/sandbox/images';
import { decodeBase64 } from '@writ/signing';
import { isImageProblem } from '../../../images/call-images.ts';
import { NotListedHere } from '../not-listed-here.ts';
import type { McpPrograms } from './mcp-programs.ts';

/** The image of a claim. */
export interface ClaimedImage {
  readonly tenantId: string;
  readonly digest: string;
  readonly image: McpClaim['image'];
}

/** What listings need of programs. */
export interface ListedPrograms extends Pick<McpPrograms, 'list'> {
  /** The image as the engine starts it. @throws Fault `image.unavailable`; NotListedHere for one of the deployment */
  imageOf(claimed: ClaimedImage, signal: AbortSignal): Promise<string>;
}

/** Programs with the images of their tenants. @param digests those of the deployment that this executor has */
export const listedPrograms = (
  programs: Pick<McpPrograms, 'list'>,
  images: Pick<TenantImages, 'runnable'>,
  digests: ReadonlySet<string>,
): ListedPrograms => ({
  list: (listing) => programs.list(listing),
  imageOf: async ({ tenantId, digest, image }, signal) => {
    if (image === undefined) {
      if (!digests.has(digest))
        throw new NotListedHere('image.unavailable', `this executor does not have the image \`${digest}\``);
      return digest;
    }
    const source = sourceFrom(decodeBase64(image.definition));
    if (source === null || image.image_digest !== digest)
      throw new Fault('image.unavailable', 'the image of the server is none that can be read');
    try {
      return await images.runnable({ tenantId, source }, digest, signal);
    } catch (error) {
      if (!isImageProblem(error)) throw error;
      throw new Fault('image.unavailable', error.message, { cause: error });
    }
  },
});
