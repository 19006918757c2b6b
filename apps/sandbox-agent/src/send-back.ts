// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { AgentMessage } from '@writ/sandbox';
import { contentOf, readable, type Difference } from './compare.ts';

const NONE = Buffer.alloc(0);

/** Sends what differs, contents in chunks, then the end. Only changed entries travel. */
export function sendBack(root: string, found: readonly Difference[], speak: (message: AgentMessage) => void): void {
  for (const { path, after } of found) {
    if (after?.kind !== 'file' || after.size === 0) {
      speak({ type: 'change', path, after, bytes: NONE });
      continue;
    }
    let first = true;
    readable(path, () => {
      for (const bytes of contentOf(join(root, path))) {
        speak(first ? { type: 'change', path, after, bytes } : { type: 'data', bytes });
        first = false;
      }
    });
  }
  speak({ type: 'end', changes: found.length });
}
