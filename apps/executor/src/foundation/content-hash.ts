// SPDX-License-Identifier: Apache-2.0
import { sha256Hex } from '@writ/digest';

/** Bytes that are hashed within one to two milliseconds. */
const BRIEF_BYTES = 512 * 1024;

/** The SHA-256 of contents, in hexadecimal. Node hashes long contents on a thread of its own. */
export async function contentHash(bytes: Uint8Array): Promise<string> {
  if (bytes.length <= BRIEF_BYTES) return sha256Hex(bytes);
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
}
