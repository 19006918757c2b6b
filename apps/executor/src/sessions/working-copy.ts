// SPDX-License-Identifier: Apache-2.0
import type { Delta, ScopeRoot, TenantId } from '@writ/contract';
import { blobReader, type BlobReader, type BlobStore } from '@writ/blobs';
import { scopeOf } from '@writ/capability';
import type { SandboxChange, SandboxPatch } from '@writ/sandbox';
import { applyDelta, diff, parsePath, rebase } from '@writ/workspace';
import { pacedReader } from '../runners/paced-reader.ts';
import { stagedDelta } from '../runners/staged-delta.ts';

type Roots = readonly (readonly ScopeRoot[])[];

/** The changes of a session's command, as a delta on the snapshot of its call. */
export interface CopiedDelta {
  readonly delta: Delta;
  readonly blobs: readonly Uint8Array[];
  /** the state of the copy after the delta, which `markCommitted` applies */
  readonly next: { readonly root: string; readonly nodes: ReadonlyMap<string, Uint8Array> };
}

/**
 * The files in a session's container, as the root of a tree. The tree is a snapshot of the workspace, with what the
 * session has committed since. It keeps tree nodes that no snapshot references until the next snapshot is copied in.
 */
export class WorkingCopy {
  readonly #stored: BlobReader;
  readonly #reader: BlobReader;
  #root: string;
  #nodes: ReadonlyMap<string, Uint8Array> = new Map();

  constructor(blobs: BlobStore, tenantId: string, root: string) {
    this.#stored = blobReader(blobs, tenantId as TenantId);
    this.#reader = pacedReader(async (sha256) => this.#nodes.get(sha256) ?? (await this.#stored(sha256)));
    this.#root = root;
  }

  /**
   * The patches that bring the container to the snapshot, as far as the token may read it. Deletions come first, the
   * deepest paths before their parents.
   */
  async patchesTo(root: string, fs: Roots): Promise<SandboxPatch[]> {
    const { changes } = await diff(this.#reader, this.#root, root);
    const scopes = fs.map((roots) => scopeOf(roots, 'read'));
    const readable = changes.filter(({ path }) => scopes.every((isReadable) => isReadable(parsePath(path))));
    const deletions = readable
      .filter(({ after }) => after === null)
      .map(({ path }): SandboxPatch => ({ path, kind: 'gone' }))
      .reverse();
    const additions = readable.map(async ({ path, after }): Promise<SandboxPatch | null> => {
      if (after === null) return null;
      if (after.kind === 'dir' || after.sha256 === null) return { path, kind: 'dir', mode: null };
      const bytes = await this.#stored(after.sha256);
      if (after.kind === 'symlink')
        return { path, kind: 'symlink', mode: null, target: Buffer.from(bytes).toString('utf8') };
      return { path, kind: 'file', mode: after.mode ?? '644', bytes, sha256: after.sha256 };
    });
    return [...deletions, ...(await Promise.all(additions)).filter((patch) => patch !== null)];
  }

  /** The container now holds the snapshot. */
  markUpdatedTo(root: string): void {
    this.#root = root;
    this.#nodes = new Map();
  }

  /**
   * The changes as a delta on the snapshot, which may be newer than the copy. If another call has changed some of the
   * same paths since, it resolves with those paths instead.
   */
  async deltaOn(
    root: string,
    changes: readonly SandboxChange[],
  ): Promise<CopiedDelta | { readonly conflicts: readonly string[] }> {
    const { delta, blobs } = await stagedDelta(this.#reader, this.#root, changes);
    const applied = await applyDelta(this.#reader, this.#root, delta);
    const next = {
      root: applied.root,
      nodes: new Map([...this.#nodes, ...applied.nodes.map(({ sha256, bytes }) => [sha256, bytes] as const)]),
    };
    if (root === this.#root) return { delta, blobs, next };
    const moved = await rebase(this.#reader, delta, this.#root, root);
    return 'conflicts' in moved ? moved : { delta: moved.delta, blobs, next };
  }

  /** The delta was committed. */
  markCommitted({ root, nodes }: CopiedDelta['next']): void {
    this.#root = root;
    this.#nodes = nodes;
  }
}
