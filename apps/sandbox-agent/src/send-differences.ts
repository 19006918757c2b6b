// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { AgentMessage } from '@writ/sandbox';
import { contentOf, readOrFault, type Difference } from './compare.ts';

const NO_BYTES = Buffer.alloc(0);

/** Sends the differences, with contents in chunks, then the end. Only changed entries are sent. */
export function sendDifferences(
  root: string,
  found: readonly Difference[],
  send: (message: AgentMessage) => void,
): void {
  for (const { path, after } of found) {
    if (after?.kind !== 'file' || after.size === 0) {
      send({ type: 'change', path, after, bytes: NO_BYTES });
      continue;
    }
    let first = true;
    readOrFault(path, () => {
      for (const bytes of contentOf(join(root, path))) {
        send(first ? { type: 'change', path, after, bytes } : { type: 'data', bytes });
        first = false;
      }
    });
  }
  send({ type: 'end', changes: found.length });
}
