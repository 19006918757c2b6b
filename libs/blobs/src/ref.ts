// SPDX-License-Identifier: Apache-2.0
import { Fault, type BlobRef } from '@writ/contract';
import { sha256Hex } from '@writ/digest';

/** Size of the pieces in which a blob travels and is stored, far below the limits of rows and messages. */
export const CHUNK_BYTES = 1024 * 1024;

/** The reference of these bytes. */
export function refOf(bytes: Uint8Array): BlobRef {
  return { sha256: sha256Hex(bytes), size: bytes.length };
}

/** Returns the bytes if they match the hash, else throws `blob.corrupt`. */
export function verifyBlob(sha256: string, bytes: Uint8Array): Uint8Array {
  if (sha256Hex(bytes) !== sha256)
    throw new Fault('blob.corrupt', `the content of \`${sha256}\` does not match its hash`);
  return bytes;
}

/** The fault for a hash without a content. */
export function missingBlob(sha256: string): Fault {
  return new Fault('blob.missing', `there is no content \`${sha256}\``);
}

/** Cuts the bytes into parts of at most `CHUNK_BYTES`; empty contents have none. The parts are views. */
export function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
