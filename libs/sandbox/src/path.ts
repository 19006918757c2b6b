// SPDX-License-Identifier: Apache-2.0

/** Linux's PATH_MAX and NAME_MAX: a longer name can't exist in a container. */
const PATH_BYTES_MAX = 4096;
const SEGMENT_BYTES_MAX = 255;

/**
 * The fault of the text as a path of a workspace, or null. A valid path is relative, with `/` between segments, none of
 * them empty, `.` or `..`, without NUL, in well-formed Unicode. This is purely syntactic: other checks judge what a
 * name means.
 */
export function pathFault(path: string): string | null {
  if (path === '') return 'is empty';
  if (path.length > PATH_BYTES_MAX || Buffer.byteLength(path) > PATH_BYTES_MAX) return 'is too long';
  if (!path.isWellFormed()) return 'is not well-formed Unicode';
  if (path.includes('\0')) return 'contains NUL';
  for (const segment of path.split('/')) {
    // A leading, trailing or doubled slash yields an empty segment, so absolute paths are refused here.
    if (segment === '') return 'has an empty segment';
    if (segment === '.' || segment === '..') return 'has a relative segment';
    if (Buffer.byteLength(segment) > SEGMENT_BYTES_MAX) return 'has a segment that is too long';
  }
  return null;
}

/** The fault of the text as the target of a symbolic link, or null. Any text that Linux can store is valid. */
export function targetFault(target: string): string | null {
  if (target === '') return 'is empty';
  if (target.length >= PATH_BYTES_MAX || Buffer.byteLength(target) >= PATH_BYTES_MAX) return 'is too long';
  if (!target.isWellFormed()) return 'is not well-formed Unicode';
  return target.includes('\0') ? 'contains NUL' : null;
}

/** The parent directories of a path, outermost first. */
export function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) parents.push(path.slice(0, at));
  return parents;
}

/** The directory that a path is in; `''` is the workspace itself. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Orders paths by their UTF-8 bytes, as in deltas. */
export function comparePaths(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
