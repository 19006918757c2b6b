// SPDX-License-Identifier: Apache-2.0
import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '@writ/digest';

/** Reads the platform key's hash: 64 hexadecimal digits. Throws on anything else. */
export function parsePlatformHash(text: string): Buffer {
  if (!/^[0-9a-f]{64}$/.test(text.trim()))
    throw new Error("the platform key's hash is 64 lower-case hexadecimal digits");
  return Buffer.from(text.trim(), 'hex');
}

/** Tells whether the presented text is the platform key. */
export function isPlatformKey(presented: string, hash: Buffer): boolean {
  return timingSafeEqual(sha256(Buffer.from(presented, 'utf8')), hash);
}
