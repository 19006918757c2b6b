// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, createDecipheriv } from 'node:crypto';

/** Bytes of the key of one agent's output stream. */
export const OUTPUT_KEY_BYTES = 32;
/** The initial counter. A key seals one stream and is never reused, so the counter may be public. */
const FROM = Buffer.alloc(16);

/**
 * Encrypts the output of one agent, in its order, where the carrier keeps a copy that outlives the container: a kubelet
 * writes the streams of pods to its node's disk. It hides the bytes there and authenticates nothing. Bytes that are
 * changed in transit decrypt to other bytes, which the parser of frames checks.
 */
export function outputSealer(key: Uint8Array): (bytes: Uint8Array) => Buffer {
  const cipher = createCipheriv('aes-256-ctr', key, FROM);
  return (bytes) => cipher.update(bytes);
}

/** Decrypts what `outputSealer` encrypted. */
export function outputOpener(key: Uint8Array): (bytes: Uint8Array) => Buffer {
  const decipher = createDecipheriv('aes-256-ctr', key, FROM);
  return (bytes) => decipher.update(bytes);
}
