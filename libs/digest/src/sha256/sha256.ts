// SPDX-License-Identifier: Apache-2.0
import { platform } from '#sha256';

/** The 32 bytes of SHA-256 (FIPS 180-4) over the concatenated parts. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  return platform.digest(parts);
}

/** The same as 64 lower-case hexadecimal digits. */
export function sha256Hex(...parts: readonly Uint8Array[]): string {
  return platform.hex(parts);
}
