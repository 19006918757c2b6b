// SPDX-License-Identifier: Apache-2.0
import type { ContentFacts } from './content-facts.ts';
import { gitBlobName } from './git/git-object.ts';
import { isBinary, isGenerated, keptBlocks, keptWords } from './text.ts';
import { commonRuns } from './token-runs.ts';

/**
 * Compares the content at a path with the one before, or with null for none. Takes time in proportion to both: some 70
 * ms a megabyte.
 */
export function compareContents(before: Uint8Array, after: Uint8Array | null): ContentFacts {
  const [binaryBefore, binaryAfter] = [isBinary(before), after !== null && isBinary(after)];
  return {
    binaryBefore,
    binaryAfter,
    generated: isGenerated(before),
    ...likeness(before, after, binaryBefore || binaryAfter),
    blobBefore: gitBlobName(before),
    blobAfter: after === null ? null : gitBlobName(after),
  };
}

/** Binary content has no meaningful words. */
function likeness(
  before: Uint8Array,
  after: Uint8Array | null,
  isBinaryPair: boolean,
): Pick<ContentFacts, 'kept' | 'ordered' | 'alike'> {
  if (after === null) return { kept: 0, ordered: 0, alike: 0 };
  const kept = isBinaryPair ? keptBlocks(before, after) : keptWords(before, after);
  const runs = isBinaryPair ? null : commonRuns(before, after);
  const ofLonger = (kept * before.byteLength) / Math.max(before.byteLength, after.byteLength, 1);
  return { kept, ordered: runs?.ordered ?? kept, alike: runs?.alike ?? ofLonger };
}
