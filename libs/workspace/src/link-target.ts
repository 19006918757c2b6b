// SPDX-License-Identifier: Apache-2.0
import { CONTROL } from './path.ts';
import { decodeText } from './text.ts';

/** PATH_MAX of Linux without its NUL: a container can't have a link with a longer target. */
export const LINK_TARGET_BYTES_MAX = 4095;

/**
 * The problem with these bytes as the target of a symbolic link, phrased to follow "target", or null.
 * Attacker-controlled. The code that follows a link checks where it leads. Before a commit, this checks that the target
 * is valid in a container and readable by a person.
 */
export function linkTargetFault(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return 'is empty';
  if (bytes.length > LINK_TARGET_BYTES_MAX) return `is longer than ${LINK_TARGET_BYTES_MAX} bytes`;
  const text = decodeText(bytes);
  if (text === null) return 'is not UTF-8 or holds NUL';
  return CONTROL.test(text) ? 'holds a control character' : null;
}
