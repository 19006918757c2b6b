// SPDX-License-Identifier: Apache-2.0
import type { BlobReader } from '@writ/blobs';
import { pacer } from '@writ/worker-pool';
import { withPauses, type NodeReader } from '@writ/workspace';

/**
 * The reader, giving the event loop to others every few milliseconds, also where all that is read is in memory: a tree
 * may have a hundred thousand entries.
 *
 * @param verify called before each reading and each pause: whoever must stop throws
 */
export function pacedReader(reader: BlobReader, verify: () => void = () => undefined): NodeReader {
  const next = pacer();
  return withPauses(reader, async () => {
    verify();
    await next();
  });
}
