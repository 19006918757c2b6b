// SPDX-License-Identifier: Apache-2.0
import type { Change, Delta, FileState } from '@writ/contract';
import type { SandboxAfter, SandboxChange } from '@writ/sandbox';
import { inSlices, pacer } from '@writ/worker-pool';
import {
  byName,
  isSameState,
  loadNode,
  orderingDelta,
  parsePath,
  runWithPauses,
  segmentsOf,
  snapshotIdOf,
  stateOf,
  type NodeEntry,
  type NodeReader,
} from '@writ/workspace';
import { contentHash } from '../foundation/content-hash.ts';

/**
 * The delta of a container's changes. `before` is read from the snapshot, not from the files in the container. A path
 * that the call may not read exists all the same, and creating it in the container changes it. Each directory is read
 * once, however many of its entries changed.
 */
export async function stagedDelta(
  reader: NodeReader,
  root: string,
  changes: readonly SandboxChange[],
): Promise<{ delta: Delta; blobs: Uint8Array[] }> {
  const blobs: Uint8Array[] = [];
  const staged: Change[] = [];
  const directories = new Directories(reader);
  for await (const { path, after } of inSlices(changes)) {
    const before = stateOf(await directories.lookup(root, path));
    const next = after === null ? null : await stateAfter(after, blobs);
    if (!isUnchanged(before, next)) staged.push({ path, before, after: next });
  }
  return { delta: await runWithPauses(orderingDelta(snapshotIdOf(root), staged), pacer()), blobs };
}

function isUnchanged(before: FileState | null, after: FileState | null): boolean {
  return before === null || after === null ? before === after : isSameState(before, after);
}

async function stateAfter(after: SandboxAfter, blobs: Uint8Array[]): Promise<FileState> {
  if (after.kind === 'dir') return { kind: 'dir', mode: null, sha256: null, size: 0 };
  const bytes = after.kind === 'file' ? after.bytes : Buffer.from(after.target, 'utf8');
  blobs.push(bytes);
  return { kind: after.kind, mode: after.mode, sha256: await contentHash(bytes), size: bytes.length };
}

/** The directories of a tree by the names of their entries, each read once. */
class Directories {
  readonly #reader: NodeReader;
  readonly #read = new Map<string, Promise<ReadonlyMap<string, NodeEntry>>>();

  constructor(reader: NodeReader) {
    this.#reader = reader;
  }

  async lookup(root: string, path: string): Promise<NodeEntry | null> {
    let entry: NodeEntry | null = { kind: 'dir', name: '', sha256: root, size: 0 };
    for (const name of segmentsOf(parsePath(path))) {
      if (entry?.kind !== 'dir') return null;
      entry = (await this.#entries(entry.sha256)).get(name) ?? null;
    }
    return entry;
  }

  #entries(sha256: string): Promise<ReadonlyMap<string, NodeEntry>> {
    const cached = this.#read.get(sha256);
    if (cached !== undefined) return cached;
    const read = this.#load(sha256);
    this.#read.set(sha256, read);
    return read;
  }

  async #load(sha256: string): Promise<ReadonlyMap<string, NodeEntry>> {
    return await runWithPauses(byName(await loadNode(this.#reader, sha256)), pacer());
  }
}
