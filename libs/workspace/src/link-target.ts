// SPDX-License-Identifier: Apache-2.0
import { CONTROL } from './path.ts';
import { decodeText } from './text.ts';

/** PATH_MAX of Linux without its NUL: a longer target can't be laid out in a container. */
export const LINK_TARGET_BYTES_MAX = 4095;

/**
 * What is wrong with these bytes as the target of a symbolic link, in words that follow one, or null.
 * Attacker-controlled. Where a target leads is judged by whoever follows it; that it is a text which a container takes
 * and a person can read is asked before it is committed.
 */
export function linkTargetFault(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return 'is empty';
  if (bytes.length > LINK_TARGET_BYTES_MAX) return `is longer than ${LINK_TARGET_BYTES_MAX} bytes`;
  const text = decodeText(bytes);
  if (text === null) return 'is not UTF-8 or holds NUL';
  return CONTROL.test(text) ? 'holds a control character' : null;
}
