// SPDX-License-Identifier: Apache-2.0
import { Fault, SnapshotId, type Caller, type TreeEntry } from '@writ/contract';
import { badCursor, cursorCodec } from '@writ/paging';
import { lookup, parsePath, quote, stateOf, walk, type WorkspacePath } from '@writ/workspace';
import { Type } from 'typebox';
import type { TreeView } from './views.ts';
import { Snapshots, type OpenSnapshot } from './snapshots.ts';

/** Which part of a tree is wanted. */
export interface TreeWish {
  readonly path?: string | undefined;
  /** a snapshot or a moment; the head unless said */
  readonly at?: string | undefined;
  readonly depth?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** Entries of one answer unless said: a repository at once. */
const ENTRIES = 10_000;
const TREE_CURSOR = cursorCodec(
  Type.Object(
    {
      snapshot_id: SnapshotId,
      /** entries of the pages before */
      skipped: Type.Integer({ minimum: 0, maximum: 999_999_999 }),
    },
    { additionalProperties: false },
  ),
);

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
    const limit = wish.limit ?? ENTRIES;
    // One more tells whether there is more.
    const found = await entriesOf(open, path, wish.depth ?? Infinity, skipped, limit + 1);
    const next_cursor =
      found.length > limit ? TREE_CURSOR.format({ snapshot_id: open.snapshotId, skipped: skipped + limit }) : null;
    return {
      workspace_id: workspaceId,
      snapshot_id: open.snapshotId,
      path,
      entries: found.slice(0, limit),
      next_cursor,
    };
  }
}

/** Entries below a directory from the one after `skipped`, at most `limit`; the walk ends with them. */
async function entriesOf(
  { reader, root }: OpenSnapshot,
  path: WorkspacePath,
  depth: number,
  skipped: number,
  limit: number,
): Promise<TreeEntry[]> {
  const top = await lookup(reader, root, path);
  if (top === null) throw new Fault('file.not_found', `there is no ${quote(path)}`);
  if (top.kind !== 'dir') throw new Fault('file.kind', `${quote(path)} is no directory`);
  const found: TreeEntry[] = [];
  let seen = 0;
  for await (const { path: below, entry } of walk(reader, top.sha256, { depth })) {
    if (seen++ < skipped) continue;
    const state = stateOf(entry);
    if (state !== null) found.push({ path: path === '' ? below : `${path}/${below}`, state });
    if (found.length === limit) break;
  }
  return found;
}

function parseCursor({ cursor, at }: TreeWish): { snapshotId: string | undefined; skipped: number } {
  if (cursor === undefined) return { snapshotId: at, skipped: 0 };
  const { snapshot_id: snapshotId, skipped } = TREE_CURSOR.parse(cursor);
  if (at?.startsWith('snap_') === true && at !== snapshotId) throw badCursor();
  return { snapshotId, skipped };
}
