// SPDX-License-Identifier: Apache-2.0
import type { ContentFacts } from './contents.ts';
import { gitBlobName } from './git/git-object.ts';
import { isBinary, isGenerated, keptBlocks, keptWords } from './text.ts';

/** Compares what stood at a path with what stands there, or null for nothing. Takes time in proportion to both: some 20 ms a megabyte. */
export function compareContents(before: Uint8Array, after: Uint8Array | null): ContentFacts {
  const [binaryBefore, binaryAfter] = [isBinary(before), after !== null && isBinary(after)];
  return {
    binaryBefore, binaryAfter,
    generated: isGenerated(before),
    // Words of bytes that are no text mean nothing.
    kept: after === null ? 0 : binaryBefore || binaryAfter ? keptBlocks(before, after) : keptWords(before, after),
    blobBefore: gitBlobName(before),
    blobAfter: after === null ? null : gitBlobName(after),
  };
}
