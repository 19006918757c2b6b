// SPDX-License-Identifier: Apache-2.0
import type { ImageClaim } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** An image by its name, as kernel.image_for returns it; all but the name are null where there is none. */
export interface ImageFor {
  readonly name: string;
  readonly image_id: string | null;
  readonly definition: string | null;
  readonly state: 'waiting' | 'building' | 'ready' | 'failed' | null;
  readonly image_digest: string | null;
}

/** A claimed image, with the number of executors that were lost over it, as kernel.claim_image returns it. */
export interface CountedClaim extends ImageClaim {
  readonly lost: number;
}

/** The functions of `sql/functions/images` that the kernel calls. */
export const imagesFunctions = {
  claimImage: kernelFunction<CountedClaim | null>()(
    'kernel.claim_image',
    { executor: sqlTypes.text, lease_ms: sqlTypes.integer },
    { returns: 'value' },
  ),
  imageFor: kernelFunction<ImageFor | null>()(
    'kernel.image_for',
    { tenant: sqlTypes.text, tool: sqlTypes.text, name: sqlTypes.nullable(sqlTypes.text) },
    { returns: 'value' },
  ),
  isRegisteredImage: kernelFunction<boolean>()(
    'kernel.is_registered_image',
    { tenant: sqlTypes.text, digest: sqlTypes.text },
    { returns: 'value' },
  ),
  releaseImage: kernelFunction<boolean>()(
    'kernel.release_image',
    {
      tenant: sqlTypes.text,
      image: sqlTypes.text,
      executor: sqlTypes.text,
      claim: sqlTypes.integer,
      pause_ms: sqlTypes.integer,
      log: sqlTypes.text,
    },
    { returns: 'value' },
  ),
  renewImage: kernelFunction<boolean>()(
    'kernel.renew_image',
    {
      tenant: sqlTypes.text,
      image: sqlTypes.text,
      executor: sqlTypes.text,
      claim: sqlTypes.integer,
      lease_ms: sqlTypes.integer,
      log: sqlTypes.text,
    },
    { returns: 'value' },
  ),
} as const;
