// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { encodeNode, type NewBlob } from './node.ts';

const SNAPSHOT = /^snap_([0-9a-f]{64})$/;

/** The snapshot id of the workspace whose root node has that hash. */
export function snapshotIdOf(root: string): string {
  return `snap_${root}`;
}

/**
 * The root node's hash of a snapshot; inverse of `snapshotIdOf`. Throws `request.malformed` for an invalid snapshot id.
 */
export function parseSnapshotId(text: string): string {
  const root = SNAPSHOT.exec(text)?.[1];
  if (root === undefined) throw new Fault('request.malformed', 'a snapshot id is `snap_` and 64 hexadecimal digits');
  return root;
}

/** An empty workspace, and the node to store for it. */
export function emptyTree(): { readonly root: string; readonly nodes: readonly NewBlob[] } {
  const node = encodeNode([]);
  return { root: node.sha256, nodes: [node] };
}
