// SPDX-License-Identifier: Apache-2.0
import type { ScopeRoot } from '@writ/contract';

export type FsAccess = 'read' | 'write';

/**
 * Answers whether the path has the canonical form of scopes: relative to the workspace, `/` between segments, no empty,
 * `.` or `..` segment, no NUL; `''` is the workspace itself.
 */
export function isScopePath(path: string): boolean {
  if (path === '') return true;
  return (
    !path.includes('\0') && path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  );
}

/**
 * Makes the test whether a path is at or below a root that grants the access, and not at or below one that is denied.
 * Write doesn't include read, nor read write. INVARIANT (denied wins): no root grants what another denies. A root or a
 * path in another form never matches: `src/../etc` mustn't count as below `src`. Callers MUST check the path that links
 * lead to as well as the written one.
 */
export function scopeOf(roots: readonly ScopeRoot[], access: FsAccess): (path: string) => boolean {
  const granted = pathsOf(roots, (root) => root.denied !== true && root.anywhere !== true && root[access]);
  const isDeniedPath = denialOf(roots);
  return (path) => isScopePath(path) && isBelow(granted, path) && !isDeniedPath(path);
}

/** The paths that the roots deny, in scope form, without those that are denied anywhere. */
export function deniedPaths(roots: readonly ScopeRoot[]): string[] {
  return [...pathsOf(roots, isDeniedHere)];
}

/** Makes the test whether the roots deny a path. */
export function denialOf(roots: readonly ScopeRoot[]): (path: string) => boolean {
  const denied = pathsOf(roots, isDeniedHere);
  const anywhere = pathsOf(roots, isDeniedAnywhere);
  if (anywhere.size === 0) return (path) => isBelow(denied, path);
  const lengths = [...new Set([...anywhere].map((path) => path.split('/').length))];
  return (path) => isBelow(denied, path) || holdsAny(anywhere, lengths, path);
}

/** Answers whether the path is strictly above the other one. */
export function isAbove(path: string, other: string): boolean {
  return path !== other && (path === '' || other.startsWith(`${path}/`));
}

const isDeniedHere = ({ denied, anywhere }: ScopeRoot): boolean => denied === true && anywhere !== true;
// The workspace itself stands nowhere below a directory.
const isDeniedAnywhere = ({ path, denied, anywhere }: ScopeRoot): boolean =>
  denied === true && anywhere === true && path !== '';
const pathsOf = (roots: readonly ScopeRoot[], which: (root: ScopeRoot) => boolean): Set<string> =>
  new Set(roots.filter((root) => which(root) && isScopePath(root.path)).map(({ path }) => path));
const isBelow = (paths: ReadonlySet<string>, path: string): boolean => paths.has('') || hasAncestor(paths, path);

/** Answers whether the path is within a root that grants the access. */
export function coversPath(roots: readonly ScopeRoot[], access: FsAccess, path: string): boolean {
  return scopeOf(roots, access)(path);
}

/**
 * Answers whether one of the names stands anywhere in the path. `lengths` are those of the names, in segments. It takes
 * a step for each segment and length, whatever the number of names.
 */
function holdsAny(names: ReadonlySet<string>, lengths: readonly number[], path: string): boolean {
  const segments = path.split('/');
  return segments.some((_segment, at) =>
    lengths.some((length) => at + length <= segments.length && names.has(segments.slice(at, at + length).join('/'))),
  );
}

function hasAncestor(granted: ReadonlySet<string>, path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (granted.has(path.slice(0, end))) return true;
  }
  return false;
}
