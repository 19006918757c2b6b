// SPDX-License-Identifier: Apache-2.0
import type { BlobReader } from '@writ/blobs';
import { pacer } from '@writ/worker-pool';
import { withPauses, type NodeReader } from '@writ/workspace';

/**
 * A reader that yields the event loop every few milliseconds, also where all nodes are in memory: a tree may have a
 * hundred thousand entries.
 *
 * @param verify called before each read and each pause; throws to stop the reading
 */
export function pacedReader(reader: BlobReader, verify: () => void = () => undefined): NodeReader {
  const next = pacer();
  return withPauses(reader, async () => {
    verify();
    await next();
  });
}
