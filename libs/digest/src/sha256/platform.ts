// SPDX-License-Identifier: Apache-2.0

/** SHA-256 (FIPS 180-4) over the concatenated parts. */
export interface Sha256 {
  /** 32 bytes that belong to the caller. */
  digest(parts: readonly Uint8Array[]): Uint8Array;
  /** The same as 64 lower-case hexadecimal digits. */
  hex(parts: readonly Uint8Array[]): string;
}
