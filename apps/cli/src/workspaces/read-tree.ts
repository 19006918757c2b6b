// SPDX-License-Identifier: Apache-2.0
import { TreeEntry } from '@writ/contract';
import { Type, type Static } from 'typebox';
import type { Client } from '../http/client.ts';
import { queryOf } from '../http/lists.ts';

const TreePage = Type.Object({
  snapshot_id: Type.String(),
  entries: Type.Array(TreeEntry),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
type TreePage = Static<typeof TreePage>;

export interface Tree {
  readonly snapshot_id: string;
  readonly entries: TreeEntry[];
}

export interface TreeQuery {
  /** a snapshot or a moment; the head unless set */
  readonly at?: string | undefined;
  readonly path?: string | undefined;
  /** levels; all unless set */
  readonly depth?: number | undefined;
}

/**
 * Reads a whole tree of one snapshot, page by page. Later pages name the snapshot of the first page, so that a commit
 * in between doesn't mix two snapshots.
 */
export async function readTree(client: Client, workspace: string, { at, path, depth }: TreeQuery = {}): Promise<Tree> {
  const entries: TreeEntry[] = [];
  let [snapshotId, cursor]: [string | undefined, string | undefined] = [at, undefined];
  for (;;) {
    const page: TreePage = await client.read(
      TreePage,
      `${workspace}/tree${queryOf({ path, depth, at: snapshotId, cursor })}`,
    );
    entries.push(...page.entries);
    if (page.next_cursor === null) return { snapshot_id: page.snapshot_id, entries };
    [snapshotId, cursor] = [page.snapshot_id, page.next_cursor];
  }
}
