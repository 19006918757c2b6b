// SPDX-License-Identifier: Apache-2.0

/** What a comparison of two contents tells. */
export interface ContentFacts {
  readonly binaryBefore: boolean;
  /** false where there is no content after */
  readonly binaryAfter: boolean;
  /** a generator's mark stood at the head before */
  readonly generated: boolean;
  /** share of the words before, of a binary content of the blocks, that is there after: 0 to 1; 0 for no content */
  readonly kept: number;
  /** share of the order before that is there after: 0 to 1 (`commonRuns`); `kept` of a binary or very short content */
  readonly ordered: number;
  /** share of the longer of both that they have in common, in order: 0 to 1 */
  readonly alike: number;
  /** git's name of the content before, 40 hexadecimal digits */
  readonly blobBefore: string;
  /** the same of the content after; null where there is none */
  readonly blobAfter: string | null;
}
