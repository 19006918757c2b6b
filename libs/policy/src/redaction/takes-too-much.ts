// SPDX-License-Identifier: Apache-2.0
import { REDACTIONS_BYTES_MAX, type AppliedRedaction } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';

/** Answers whether the record of a call has no place for so much. */
export const takesTooMuch = (redactions: readonly AppliedRedaction[]): boolean =>
  canonicalBytes(redactions).byteLength > REDACTIONS_BYTES_MAX;
