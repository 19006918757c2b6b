// SPDX-License-Identifier: Apache-2.0
import type { Change, Delta, FileState } from '@writ/contract';
import type { BlobReader } from '@writ/blobs';
import { sha256Hex } from '@writ/digest';
import type { SandboxAfter, SandboxChange } from '@writ/sandbox';
import { deltaOf, isSameState, lookup, parsePath, snapshotIdOf, stateOf } from '@writ/workspace';

/**
 * The delta of what a container changed. `before` is taken from the snapshot, not from what was sent in: a path that the call may not read
 * exists all the same, and creating it in the container is a change of what is there.
 */
export async function stagedDelta(reader: BlobReader, root: string, changes: readonly SandboxChange[]): Promise<{ delta: Delta; blobs: Uint8Array[] }> {
  const blobs: Uint8Array[] = [];
  const staged: Change[] = [];
  for (const { path, after } of changes) {
    const entry = await lookup(reader, root, parsePath(path));
    const before = entry === null ? null : stateOf(entry);
    const next = after === null ? null : stateAfter(after, blobs);
    if (!isUnchanged(before, next)) staged.push({ path, before, after: next });
  }
  return { delta: deltaOf(snapshotIdOf(root), staged), blobs };
}

function isUnchanged(before: FileState | null, after: FileState | null): boolean {
  return before === null || after === null ? before === after : isSameState(before, after);
}

function stateAfter(after: SandboxAfter, blobs: Uint8Array[]): FileState {
  if (after.kind === 'dir') return { kind: 'dir', mode: null, sha256: null, size: 0 };
  const bytes = after.kind === 'file' ? after.bytes : Buffer.from(after.target, 'utf8');
  blobs.push(bytes);
  return { kind: after.kind, mode: after.mode, sha256: sha256Hex(bytes), size: bytes.length };
}
