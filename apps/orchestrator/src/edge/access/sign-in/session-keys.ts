// SPDX-License-Identifier: Apache-2.0
import { hkdfSync, timingSafeEqual } from 'node:crypto';

/** A key for one purpose, from a secret of 256 random bits. Keys of different purposes tell nothing of each other. */
export const keyOf = (secret: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, Buffer.alloc(0), `writ/${purpose}/v1`, 32));

/** Whether two texts are the same, in a time that tells nothing about where they differ. */
export function isSame(expected: string, presented: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(presented)];
  return one.length === other.length && timingSafeEqual(one, other);
}
