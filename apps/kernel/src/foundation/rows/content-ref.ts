// SPDX-License-Identifier: Apache-2.0
import type { BlobRef, PermitMode } from '@writ/contract';

/** Long arguments, as `kernel.payload.args_ref` refers to them. */
export interface ArgumentsRef extends BlobRef {
  /**
   * the key that the API generated for them, sealed under the call's key, base64; absent: they are stored in clear,
   * from before arguments were sealed
   */
  readonly sealed_key?: string;
}

/**
 * The attempt that sealed a content. Each attempt numbers its contents alike, and previews have attempt numbers apart.
 */
export interface SealedBy {
  readonly attempt: number;
  readonly mode: PermitMode;
}

/** A content that an executor stored, as rows refer to it. */
export interface ContentRef extends BlobRef {
  /** absent: it is stored in clear, from before contents were sealed */
  readonly sealed?: SealedBy;
}
