// SPDX-License-Identifier: Apache-2.0
import type { Change, Delta } from '@writ/contract';
import { diff } from './diff.ts';
import { pathsOf } from './delta.ts';
import type { NodeReader } from './node.ts';
import { ancestorsOf, type WorkspacePath } from './path.ts';
import { snapshotIdOf } from './snapshot.ts';

/** The delta as it applies to the new head, or the paths that keep it from doing so. */
export type Rebased = { readonly delta: Delta } | { readonly conflicts: readonly WorkspacePath[] };

/**
 * Moves a delta from the root it was made on to another that grew from the same one. Two deltas are disjoint where no path of one is a path of the
 * other, or above or below one. Both having made the same directory is no conflict: the rebased delta finds it made.
 */
export async function rebase(reader: NodeReader, delta: Delta, base: string, head: string): Promise<Rebased> {
  const theirs = await diff(reader, base, head);
  const shared = sharedDirectories(delta, theirs);
  const changes = delta.changes.filter((change) => !shared.has(change.path));
  const conflicts = overlapOf(pathsOf({ ...delta, changes }), pathsOf(theirs).filter((path) => !shared.has(path)));
  return conflicts.length > 0 ? { conflicts } : { delta: { v: 1, base: snapshotIdOf(head), changes } };
}

function sharedDirectories(ours: Delta, theirs: Delta): Set<string> {
  const made = new Set(theirs.changes.filter(isNewDirectory).map((change) => change.path));
  return new Set(ours.changes.filter((change) => isNewDirectory(change) && made.has(change.path)).map((change) => change.path));
}

function isNewDirectory(change: Change): boolean {
  return change.before === null && change.after?.kind === 'dir';
}

/** Those of our paths that are one of theirs, or above or below one; in order. */
function overlapOf(ours: readonly WorkspacePath[], theirs: readonly WorkspacePath[]): WorkspacePath[] {
  const at = new Set<string>(theirs);
  const above = new Set<string>(theirs.flatMap(ancestorsOf));
  return ours.filter((path) => at.has(path) || above.has(path) || ancestorsOf(path).some((ancestor) => at.has(ancestor)));
}
