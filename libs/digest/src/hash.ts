// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/** The 32 bytes of SHA-256 (FIPS 180-4) over the parts in turn, as if they were one run of bytes. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(hashOf(parts).digest());
}

/** The same as 64 lower-case hexadecimal digits. */
export function sha256Hex(...parts: readonly Uint8Array[]): string {
  return hashOf(parts).digest('hex');
}

function hashOf(parts: readonly Uint8Array[]) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash;
}
