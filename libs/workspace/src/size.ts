// SPDX-License-Identifier: Apache-2.0
import type { Delta, FileState } from '@writ/contract';
import type { NodeReader } from './node.ts';
import { walk } from './tree.ts';

/**
 * The size of a tree, or of a change: entries (files, links and directories alike, since each is stored), and the bytes
 * of files and of links' targets.
 */
export interface TreeSize {
  readonly files: number;
  readonly bytes: number;
}

/** What the delta adds to a tree that matches each `before`; negative for removed parts. */
export function growthOf({ changes }: Pick<Delta, 'changes'>): TreeSize {
  return changes.reduce(
    ({ files, bytes }, { before, after }) => ({
      files: files + entriesOf(after) - entriesOf(before),
      bytes: bytes + bytesOf(after) - bytesOf(before),
    }),
    { files: 0, bytes: 0 },
  );
}

/** The path where the delta adds most: by bytes, then by entries; null if it adds nothing anywhere. */
export function mostGrown({ changes }: Pick<Delta, 'changes'>): string | null {
  let most: { path: string; bytes: number; files: number } | null = null;
  for (const { path, before, after } of changes) {
    const [bytes, files] = [bytesOf(after) - bytesOf(before), entriesOf(after) - entriesOf(before)];
    if (bytes <= 0 && files <= 0) continue;
    if (most === null || bytes > most.bytes || (bytes === most.bytes && files > most.files))
      most = { path, bytes, files };
  }
  return most?.path ?? null;
}

/** Reads every directory of the tree. @throws Fault as `walk` */
export async function sizeOf(reader: NodeReader, root: string): Promise<TreeSize> {
  const size = { files: 0, bytes: 0 };
  for await (const { entry } of walk(reader, root)) {
    size.files += 1;
    size.bytes += entry.size;
  }
  return size;
}

const entriesOf = (state: FileState | null): number => (state === null ? 0 : 1);
const bytesOf = (state: FileState | null): number => state?.size ?? 0;
