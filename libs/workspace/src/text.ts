// SPDX-License-Identifier: Apache-2.0

/**
 * The text whose UTF-8 these bytes are, a byte-order mark kept, or null where they are none or hold NUL, which JSON
 * here doesn't carry.
 */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
