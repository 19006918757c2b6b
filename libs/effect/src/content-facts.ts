// SPDX-License-Identifier: Apache-2.0

/** The result of a comparison of two contents. */
export interface ContentFacts {
  readonly binaryBefore: boolean;
  /** false where there is no content after */
  readonly binaryAfter: boolean;
  /** the former content began with a generator's mark */
  readonly generated: boolean;
  /** share of the former words (of a binary content: blocks) that still exist: 0 to 1; 0 for no content */
  readonly kept: number;
  /** share of the former order that still exists: 0 to 1 (`commonRuns`); `kept` for a binary or very short content */
  readonly ordered: number;
  /** share of the longer content that both have in common, in order: 0 to 1 */
  readonly alike: number;
  /** git's name of the former content, 40 hexadecimal digits */
  readonly blobBefore: string;
  /** the same for the new content; null where there is none */
  readonly blobAfter: string | null;
}
