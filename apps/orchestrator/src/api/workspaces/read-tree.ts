// SPDX-License-Identifier: Apache-2.0
import { Fault, SnapshotId, type Caller, type TreeEntry } from '@writ/contract';
import { badCursor, cursorCodec } from '@writ/paging';
import { lookup, parsePath, quote, stateOf, walk, type WorkspacePath } from '@writ/workspace';
import { Type } from 'typebox';
import type { TreeView } from './views.ts';
import { Snapshots, type OpenSnapshot } from './snapshots.ts';

/** The part of a tree to list. */
export interface TreeQuery {
  readonly path?: string | undefined;
  /** a snapshot or a time; default: the head */
  readonly at?: string | undefined;
  readonly depth?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** Default entries of one response: a whole repository. */
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

/** Lists the entries of a snapshot. A cursor contains the snapshot, so that all pages show the same state. */
export class ReadTree {
  readonly #snapshots: Snapshots;

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots;
  }

  /**
   * Faults: `not_found`, `file.not_found`, `file.kind`, those of a path, `request.malformed` for a cursor of another
   * list.
   */
  async run(caller: Caller, workspaceId: string, query: TreeQuery): Promise<TreeView> {
    const { snapshotId, skipped } = parseCursor(query);
    const open = await this.#snapshots.open(caller, workspaceId, snapshotId);
    const path = parsePath(query.path ?? '');
    const limit = query.limit ?? ENTRIES;
    // One more entry shows whether there is a next page.
    const found = await entriesOf(open, path, query.depth ?? Infinity, skipped, limit + 1);
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

/** Reads at most `limit` entries below a directory, after the first `skipped`, and then stops walking. */
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

function parseCursor({ cursor, at }: TreeQuery): { snapshotId: string | undefined; skipped: number } {
  if (cursor === undefined) return { snapshotId: at, skipped: 0 };
  const { snapshot_id: snapshotId, skipped } = TREE_CURSOR.parse(cursor);
  if (at?.startsWith('snap_') === true && at !== snapshotId) throw badCursor();
  return { snapshotId, skipped };
}
