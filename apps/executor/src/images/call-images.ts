// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { findUser, ImageError, NothingToBuild, UserRefused, type TenantImages } from '@writ/sandbox/images';
import type { Call } from '../calls/runner.ts';

/** An error that no retry here changes, in words for the tenant. */
export const isImageProblem = (error: unknown): error is Error =>
  error instanceof ImageError || error instanceof NothingToBuild || error instanceof UserRefused;

/**
 * Finds the image that a call starts in, and the user that it runs as. INVARIANT (no other instead): a call whose image
 * or user can't be had here ends; it runs in no other image and as no other user.
 */
export class CallImages {
  readonly #images: Pick<TenantImages, 'runnable' | 'passwd'>;

  constructor(images: Pick<TenantImages, 'runnable' | 'passwd'>) {
    this.#images = images;
  }

  /** @throws Fault `image.unavailable` */
  async place(call: Call, signal: AbortSignal): Promise<Call> {
    const { registeredImage: source, imageDigest, tenantId, profile } = call;
    if (imageDigest === null || (source === undefined && profile?.user === undefined)) return call;
    try {
      const image =
        source === undefined ? imageDigest : await this.#images.runnable({ tenantId, source }, imageDigest, signal);
      if (profile?.user === undefined) return { ...call, imageDigest: image };
      const user = findUser(profile.user, await this.#images.passwd(image));
      const name = user.name ?? String(user.uid);
      return { ...call, imageDigest: image, user, env: { ...call.env, USER: name, LOGNAME: name } };
    } catch (error) {
      if (!isImageProblem(error)) throw error;
      throw new Fault('image.unavailable', error.message, { cause: error });
    }
  }
}
