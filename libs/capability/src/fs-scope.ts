// SPDX-License-Identifier: Apache-2.0
import type { FsRoot } from '@writ/contract';

export type FsAccess = 'read' | 'write';

/**
 * Answers whether the path has the one form that scopes are compared in: relative to the workspace, `/` between segments, no empty,
 * `.` or `..` segment, no NUL; `''` is the workspace itself.
 */
export function isScopePath(path: string): boolean {
  if (path === '') return true;
  return !path.includes('\0') && path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

/**
 * Makes the test of whether a path lies within the roots that grant the access, at or below one of them. Write says nothing about
 * read, nor read about write. A root or a path that isn't a scope path is never within: `src/../etc` mustn't count as below `src`.
 */
export function scopeOf(roots: readonly FsRoot[], access: FsAccess): (path: string) => boolean {
  const granted = new Set(roots.filter((root) => root[access] && isScopePath(root.path)).map((root) => root.path));
  return (path) => isScopePath(path) && (granted.has('') || hasAncestor(granted, path));
}

/** Answers whether the path lies within a root that grants the access. */
export function coversPath(roots: readonly FsRoot[], access: FsAccess, path: string): boolean {
  return scopeOf(roots, access)(path);
}

function hasAncestor(granted: ReadonlySet<string>, path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (granted.has(path.slice(0, end))) return true;
  }
  return false;
}
