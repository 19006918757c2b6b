// SPDX-License-Identifier: Apache-2.0
import type { ImageSource } from '@writ/contract';
import type { SandboxEgress } from '../sandbox.ts';
import type { PackageRegistries } from './build-plan.ts';

/** Why an image can't be run or built here, in words for the tenant whose image it is. No retry here changes it. */
export class ImageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ImageError';
  }
}

/** A source, and the tenant that registered it. */
export interface WantedImage {
  readonly tenantId: string;
  readonly source: ImageSource;
}

/** What a build may use. */
export interface BuildContext {
  readonly registries: PackageRegistries;
  /** PEM of the registries' certificates; null: those of the image */
  readonly ca: string | null;
  /** the only way out of the build, to these hosts */
  readonly egress: (hosts: readonly string[]) => SandboxEgress;
  /** hex digest of the source */
  readonly digest: string;
  readonly log: (text: string) => void;
}

/**
 * Images of tenants, as one engine has them. Implementations MUST NOT run anything of an image outside of a sandbox or
 * a build, and MUST treat an image that was built for another tenant as missing.
 */
export interface TenantImages {
  /**
   * What the engine starts for a digest that was decided; fetched where it hasn't got it. Rejects with ImageError where
   * it can't be had here.
   */
  runnable(wanted: WantedImage, digest: string, signal: AbortSignal): Promise<string>;
  /** The text of an image's list of users. */
  passwd(image: string): Promise<string>;
  /** Makes an image of a source; resolves with its digest. Rejects with ImageError, or NothingToBuild. */
  make(wanted: WantedImage, context: BuildContext, signal: AbortSignal): Promise<string>;
}
