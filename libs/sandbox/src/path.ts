// SPDX-License-Identifier: Apache-2.0

/** Linux's PATH_MAX and NAME_MAX: a longer name can't exist in a container. */
const PATH_BYTES_MAX = 4096;
const SEGMENT_BYTES_MAX = 255;

/**
 * What is wrong with the text as a path of a workspace, or null: relative, `/` between segments, none of them empty,
 * `.` or `..`, no NUL, well-formed Unicode. Purely syntactic: what a name means is for others to judge.
 */
export function pathFault(path: string): string | null {
  if (path === '') return 'is empty';
  if (path.length > PATH_BYTES_MAX || Buffer.byteLength(path) > PATH_BYTES_MAX) return 'is too long';
  if (!path.isWellFormed()) return 'is not well-formed Unicode';
  if (path.includes('\0')) return 'contains NUL';
  for (const segment of path.split('/')) {
    // A leading, trailing or doubled slash shows as an empty segment, so absolute paths end here.
    if (segment === '') return 'has an empty segment';
    if (segment === '.' || segment === '..') return 'has a relative segment';
    if (Buffer.byteLength(segment) > SEGMENT_BYTES_MAX) return 'has a segment that is too long';
  }
  return null;
}

/** What is wrong with the text as the target of a symbolic link, or null. Any text that Linux stores is one. */
export function targetFault(target: string): string | null {
  if (target === '') return 'is empty';
  if (target.length >= PATH_BYTES_MAX || Buffer.byteLength(target) >= PATH_BYTES_MAX) return 'is too long';
  if (!target.isWellFormed()) return 'is not well-formed Unicode';
  return target.includes('\0') ? 'contains NUL' : null;
}

/** The directories on the way to a path, outermost first. */
export function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) parents.push(path.slice(0, at));
  return parents;
}

/** The directory that a path is in; `''` is the workspace itself. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Orders paths by their UTF-8 bytes, as deltas are. */
export function comparePaths(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
