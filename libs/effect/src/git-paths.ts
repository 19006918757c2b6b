// SPDX-License-Identifier: Apache-2.0
// Places within repositories, told name by name: an expression over paths that somebody else chose can take quadratic
// time.
import { isGit, namesOf } from './paths.ts';

/** A repository's own directory, `.git` or that of a submodule below `.git/modules`, and a path in it. */
export interface GitPlace {
  readonly root: string;
  readonly inner: string;
}

/** What stands in a repository's own directory, as far as any rule here looks at it. */
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

/** Where a path lies in a repository; null outside of one, and for what no rule looks at. */
export function withinGit(path: string): GitPlace | null {
  if (!isGit(path)) return null;
  const names = namesOf(path);
  const git = names.lastIndexOf('.git');
  // A submodule may be called anything: its directory ends where one of the names begins that each repository has.
  const top = names[git + 1] === 'modules' ? names.findIndex((name, at) => at > git + 2 && TOP.has(name)) : git + 1;
  if (top < 0 || !TOP.has(names[top] ?? '')) return null;
  return { root: names.slice(0, top).join('/'), inner: names.slice(top).join('/') };
}
