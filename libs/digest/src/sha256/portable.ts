// SPDX-License-Identifier: Apache-2.0
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../bytes.ts';
import type { Sha256 } from './platform.ts';

function digest(parts: readonly Uint8Array[]): Uint8Array {
  const hash = sha256.create();
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** In JavaScript alone, for browsers: their own SHA-256 is asynchronous and needs a secure context. */
export const platform: Sha256 = { digest, hex: (parts) => toHex(digest(parts)) };
