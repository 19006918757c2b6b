// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { list, parsePath, stateOf } from '@writ/workspace';
import type { TreeView } from '../http/views.ts';
import { Snapshots } from './snapshots.ts';

/** Which part of a tree is wanted. */
export interface TreeWish {
  readonly path?: string | undefined;
  readonly snapshot_id?: string | undefined;
  readonly depth?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** Entries of one answer unless said: a repository at once. */
const ENTRIES = 10_000;
const CURSOR = /^(snap_[0-9a-f]{64}):(\d{1,9})$/;

/** Lists what a snapshot holds. A cursor names the snapshot too, so that what follows is of the same state. */
export class ReadTree {
  readonly #snapshots: Snapshots;

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots;
  }

  /** Faults: `not_found`, `file.not_found`, `file.kind`, those of a path, `request.malformed` for a foreign cursor. */
  async run(caller: Caller, workspaceId: string, wish: TreeWish): Promise<TreeView> {
    const { snapshotId, skipped } = parseCursor(wish);
    const open = await this.#snapshots.open(caller, workspaceId, snapshotId);
    const path = parsePath(wish.path ?? '');
    const found = await list(open.reader, open.root, path, wish.depth ?? Infinity);
    const end = skipped + (wish.limit ?? ENTRIES);
    const entries = found.slice(skipped, end).flatMap((each) => {
      const state = stateOf(each.entry);
      return state === null ? [] : [{ path: each.path, state }];
    });
    return {
      workspace_id: workspaceId, snapshot_id: open.snapshotId, path, entries,
      next_cursor: found.length > end ? Buffer.from(`${open.snapshotId}:${end}`).toString('base64url') : null,
    };
  }
}

function parseCursor({ cursor, snapshot_id }: TreeWish): { snapshotId: string | undefined; skipped: number } {
  if (cursor === undefined) return { snapshotId: snapshot_id, skipped: 0 };
  const [, snapshotId, skipped] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (snapshotId === undefined || (snapshot_id !== undefined && snapshot_id !== snapshotId)) throw new Fault('request.malformed', 'the `cursor` is none of this tree');
  return { snapshotId, skipped: Number(skipped) };
}
