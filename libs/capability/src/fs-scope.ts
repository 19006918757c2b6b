// SPDX-License-Identifier: Apache-2.0
import type { FsRoot } from '@writ/contract';

export type FsAccess = 'read' | 'write';

/**
 * Answers whether the path has the one form that scopes are compared in: relative to the workspace, `/` between
 * segments, no empty, `.` or `..` segment, no NUL; `''` is the workspace itself.
 */
export function isScopePath(path: string): boolean {
  if (path === '') return true;
  return (
    !path.includes('\0') && path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  );
}

/**
 * Makes the test of whether a path lies within the roots that grant the access, at or below one of them, and within
 * none that is denied. Write says nothing about read, nor read about write. INVARIANT (denied wins): no root grants
 * what another denies. A root or a path that isn't a scope path is never within: `src/../etc` mustn't count as below
 * `src`. Callers MUST ask about the path that links lead to as well as about the one that was written.
 */
export function scopeOf(roots: readonly FsRoot[], access: FsAccess): (path: string) => boolean {
  const granted = pathsOf(roots, (root) => root.denied !== true && root[access]);
  const denied = pathsOf(roots, isDenied);
  return (path) => isScopePath(path) && isBelow(granted, path) && !isBelow(denied, path);
}

/** The paths that the roots deny, in scope form. */
export function deniedPaths(roots: readonly FsRoot[]): string[] {
  return [...pathsOf(roots, isDenied)];
}

/** Makes the test of whether the roots deny a path. */
export function denialOf(roots: readonly FsRoot[]): (path: string) => boolean {
  const denied = pathsOf(roots, isDenied);
  return (path) => isBelow(denied, path);
}

/** Answers whether the path lies strictly above the other one. */
export function isAbove(path: string, other: string): boolean {
  return path !== other && (path === '' || other.startsWith(`${path}/`));
}

const isDenied = (root: FsRoot): boolean => root.denied === true;
const pathsOf = (roots: readonly FsRoot[], which: (root: FsRoot) => boolean): Set<string> =>
  new Set(roots.filter((root) => which(root) && isScopePath(root.path)).map(({ path }) => path));
const isBelow = (paths: ReadonlySet<string>, path: string): boolean => paths.has('') || hasAncestor(paths, path);

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
