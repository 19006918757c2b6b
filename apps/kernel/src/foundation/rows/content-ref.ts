// SPDX-License-Identifier: Apache-2.0
import type { BlobRef, PermitMode } from '@writ/contract';

/** Long arguments, as `kernel.payload.args_ref` has them. */
export interface ArgumentsRef extends BlobRef {
  /**
   * the key that the API drew for them, sealed under the call's, base64; absent: they were put when none were sealed,
   * as they are
   */
  readonly sealed_key?: string;
}

/** The attempt that sealed a content: another numbers its contents likewise, and a preview is none of them. */
export interface SealedBy {
  readonly attempt: number;
  readonly mode: PermitMode;
}

/** A content that an executor stored, as the rows have it that name one. */
export interface ContentRef extends BlobRef {
  /** absent: it was stored when none was sealed, as it is */
  readonly sealed?: SealedBy;
}
