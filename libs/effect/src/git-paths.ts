// SPDX-License-Identifier: Apache-2.0
// Positions within repositories, matched name by name: a regular expression over attacker-controlled paths could take
// quadratic time.
import { isGit, namesOf } from './paths.ts';

/** A repository's own directory, `.git` or that of a submodule below `.git/modules`, and a path in it. */
export interface GitPosition {
  readonly root: string;
  readonly inner: string;
}

/** The names in a repository's own directory that a rule examines. */
const TOP = new Set([
  'HEAD',
  'objects',
  'refs',
  'packed-refs',
  'reftable',
  'logs',
  'worktrees',
  'hooks',
  'config',
  'config.worktree',
  'index',
]);

/** The position of a path in a repository; null outside of one, and for paths that no rule examines. */
export function withinGit(path: string): GitPosition | null {
  if (!isGit(path)) return null;
  const names = namesOf(path);
  const git = names.lastIndexOf('.git');
  // A submodule may have any name: its directory ends before one of the names that each repository has.
  const top = names[git + 1] === 'modules' ? names.findIndex((name, at) => at > git + 2 && TOP.has(name)) : git + 1;
  if (top < 0 || !TOP.has(names[top] ?? '')) return null;
  return { root: names.slice(0, top).join('/'), inner: names.slice(top).join('/') };
}
