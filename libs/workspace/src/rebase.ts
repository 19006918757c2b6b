// SPDX-License-Identifier: Apache-2.0
import type { Change, Delta } from '@writ/contract';
import { diff } from './diff.ts';
import { pathsOf } from './delta.ts';
import type { NodeReader } from './node.ts';
import { ancestorsOf, type WorkspacePath } from './path.ts';
import { snapshotIdOf } from './snapshot.ts';
import { partsOf, runWithPauses, type Steps } from './steps.ts';

/** The delta on the new head, or the conflicting paths. */
export type Rebased = { readonly delta: Delta } | { readonly conflicts: readonly WorkspacePath[] };

/**
 * Moves a delta from its root to a descendant of the same root. Two deltas are disjoint if no path of one is equal to,
 * above or below a path of the other. Creating the same directory in both is no conflict; the rebased delta omits it.
 */
export async function rebase(reader: NodeReader, delta: Delta, base: string, head: string): Promise<Rebased> {
  const theirs = await diff(reader, base, head);
  return await runWithPauses(rebasing(delta, theirs, head), reader.pause);
}

function* rebasing(delta: Delta, theirs: Delta, head: string): Steps<Rebased> {
  const [made, shared, at, above] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
  for (const part of partsOf(theirs.changes)) {
    for (const change of part) if (isNewDirectory(change)) made.add(change.path);
    yield;
  }
  for (const part of partsOf(delta.changes)) {
    for (const change of part) if (isNewDirectory(change) && made.has(change.path)) shared.add(change.path);
    yield;
  }
  for (const part of partsOf(pathsOf(theirs))) {
    for (const path of part) {
      if (shared.has(path)) continue;
      at.add(path);
      for (const ancestor of ancestorsOf(path)) above.add(ancestor);
    }
    yield;
  }
  const changes: Change[] = [];
  const conflicts: WorkspacePath[] = [];
  for (const part of partsOf(delta.changes)) {
    for (const change of part) {
      if (shared.has(change.path)) continue;
      changes.push(change);
      const path = change.path as WorkspacePath;
      // Our paths that are equal to, above or below one of theirs, in order.
      const isConflicting = at.has(path) || above.has(path) || ancestorsOf(path).some((ancestor) => at.has(ancestor));
      if (isConflicting) conflicts.push(path);
    }
    yield;
  }
  return conflicts.length > 0 ? { conflicts } : { delta: { v: 1, base: snapshotIdOf(head), changes } };
}

function isNewDirectory(change: Change): boolean {
  return change.before === null && change.after?.kind === 'dir';
}
