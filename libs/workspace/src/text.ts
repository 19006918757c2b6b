// SPDX-License-Identifier: Apache-2.0

/**
 * Decodes UTF-8 bytes, keeping a byte-order mark; null if they are invalid or contain NUL, which our JSON doesn't
 * allow.
 */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
