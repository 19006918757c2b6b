// SPDX-License-Identifier: Apache-2.0
// Paths as texts: no file is accessed.

/** Joins parts with one slash between them; an empty part adds nothing. */
export const joined = (parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .map((part, n) => (n === 0 ? part.replace(/(?<!^)\/+$/, '') : part.replace(/^\/+/, '').replace(/\/+$/, '')))
    .join('/')
    .replaceAll(/\/{2,}/g, '/');

/** The last name, without slashes after it. */
export const nameOf = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? '';

/** The path before the last name; the root is its own parent. */
export function parentOf(path: string): string {
  const bare = path.replace(/\/+$/, '');
  const slash = bare.lastIndexOf('/');
  return slash <= 0 ? bare.slice(0, slash + 1) : bare.slice(0, slash);
}

/** The extension with its dot; a name that begins with its only dot has none. */
export function extensionOf(path: string): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot);
}
