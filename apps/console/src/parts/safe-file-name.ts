// SPDX-License-Identifier: Apache-2.0

/** Longer names are refused by some file systems. */
const CHARACTERS_MAX = 120;
const NOT_PLAIN = /[^\p{L}\p{N}\p{M}._ ()+=@-]/gu;

/**
 * The name under which a file of a workspace is saved. INVARIANT (no disguise): the attacker-controlled name keeps its
 * letters, digits and some signs. Whatever could turn its end around, hide it or name a folder becomes `_`.
 */
export function safeFileName(path: string): string {
  const name = path.split('/').at(-1) ?? '';
  // The end is kept: it says of what kind the file is.
  const plain = [...name.replace(NOT_PLAIN, '_')].slice(-CHARACTERS_MAX).join('');
  return plain.replace(/^[. ]+/, '_') || 'file';
}
