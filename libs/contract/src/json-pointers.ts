// SPDX-License-Identifier: Apache-2.0

/** The JSON pointer (RFC 6901) along names of members and indexes of items; empty for the whole. */
export const pointerOf = (...names: readonly (string | number)[]): string =>
  names.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The name or index that a reference token of a JSON pointer (RFC 6901) stands for. */
export const nameOfToken = (token: string): string =>
  // In this order, so that `~01` is `~1` and no slash.
  token.replaceAll('~1', '/').replaceAll('~0', '~');

/** The names and indexes in a JSON pointer (RFC 6901). */
export const namesIn = (pointer: string): string[] => pointer.split('/').slice(1).map(nameOfToken);
