// SPDX-License-Identifier: Apache-2.0
import { createHash, type Hash } from 'node:crypto';
import type { Sha256 } from './sha256.ts';

function hashOf(parts: readonly Uint8Array[]): Hash {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash;
}

/** By OpenSSL: what every process uses. */
export const platform: Sha256 = {
  digest: (parts) => new Uint8Array(hashOf(parts).digest()),
  hex: (parts) => hashOf(parts).digest('hex'),
};
