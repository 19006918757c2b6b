// SPDX-License-Identifier: Apache-2.0
//
// The only parser of paths. A path from an agent, an API or a sandbox becomes a WorkspacePath here or is refused.
// INVARIANT (no way out): a WorkspacePath is relative, has no `.`, `..` or empty segment and no control character. So
// joining it to a directory gives a path below that directory.
import { Fault } from '@writ/contract';
import { quote } from './quote.ts';

declare const parsedPath: unique symbol;
/** Segments with `/` between them, relative to the workspace; `''` is the workspace itself. Only this file makes it. */
export type WorkspacePath = string & { readonly [parsedPath]: true };

/** The workspace itself. */
export const ROOT = '' as WorkspacePath;
/** Where every sandbox mounts the workspace; absolute paths below it are accepted, no others. */
const MOUNT = 'workspace';

/** PATH_MAX and NAME_MAX of Linux, in bytes: a container can't have longer ones. */
const PATH_BYTES_MAX = 4096;
const NAME_BYTES_MAX = 255;
/** No repository is this deep; it bounds every walk of a tree. */
const DEPTH_MAX = 64;

/** Characters that a person could misread as a line end, or not see at all. */
export const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Parses a path as a caller wrote it: relative, or absolute below `/workspace`. `.` and empty segments are dropped;
 * names are kept byte for byte (no Unicode normalisation: two names that look alike stay different).
 * Attacker-controlled. Faults: `path.escape` for any `..` and any other absolute path, `path.invalid` for control
 * characters, NUL, unpaired surrogates, more than 4,096 bytes, a name of more than 255 bytes, more than 64 levels.
 */
export function parsePath(text: string): WorkspacePath {
  if (!text.isWellFormed()) throw invalid(text, 'holds half a surrogate pair');
  if (CONTROL.test(text)) throw invalid(text, 'holds a control character');
  if (Buffer.byteLength(text) > PATH_BYTES_MAX) throw invalid(text, `is longer than ${PATH_BYTES_MAX} bytes`);
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..'))
    throw new Fault('path.escape', `the path ${quote(text)} goes upwards; name files from the workspace down`);
  if (text.startsWith('/') && segments.shift() !== MOUNT) {
    throw new Fault('path.escape', `the path ${quote(text)} is outside /${MOUNT}`);
  }
  if (segments.length > DEPTH_MAX) throw invalid(text, `is deeper than ${DEPTH_MAX} levels`);
  if (segments.some((segment) => Buffer.byteLength(segment) > NAME_BYTES_MAX))
    throw invalid(text, `has a name longer than ${NAME_BYTES_MAX} bytes`);
  return segments.join('/') as WorkspacePath;
}

/** Answers whether the text is a path in canonical form, which `parsePath` returns unchanged. */
export function isWorkspacePath(text: string): text is WorkspacePath {
  try {
    return parsePath(text) === text;
  } catch {
    return false;
  }
}

/** Matches most names. Large directories are read name by name, and this is many times faster than the parser. */
const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

/** Answers whether the text is a valid name of a directory entry. */
export function isName(text: string): boolean {
  if (PLAIN_NAME.test(text)) return true;
  return text !== '' && !text.includes('/') && isWorkspacePath(text);
}

/** The names along a path; empty for the workspace itself. */
export function segmentsOf(path: WorkspacePath): string[] {
  return path === ROOT ? [] : path.split('/');
}

/** The entry of that name in a directory. The name comes from a node, so it is valid. */
export function joinPath(directory: WorkspacePath, name: string): WorkspacePath {
  return (directory === ROOT ? name : `${directory}/${name}`) as WorkspacePath;
}

/** Joins names to a path. */
export function pathOf(names: readonly string[]): WorkspacePath {
  return names.join('/') as WorkspacePath;
}

/** Answers whether `path` is `directory` or below it. */
export function isWithin(directory: WorkspacePath, path: WorkspacePath): boolean {
  return directory === ROOT || path === directory || path.startsWith(`${directory}/`);
}

/** The directories above a path, the outermost first, without the workspace itself. */
export function ancestorsOf(path: WorkspacePath): WorkspacePath[] {
  const names = segmentsOf(path);
  return names.slice(0, -1).map((_, depth) => pathOf(names.slice(0, depth + 1)));
}

function invalid(text: string, why: string): Fault {
  return new Fault('path.invalid', `the path ${quote(text)} ${why}`);
}
