// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, createDecipheriv } from 'node:crypto';

/** Of the key of one voice. */
export const VOICE_KEY_BYTES = 32;
/** A key seals one voice and is never used again, so where it begins may be known. */
const FROM = Buffer.alloc(16);

/**
 * Seals what one agent says, in its order, where what carries it keeps a copy that outlives the container: a kubelet
 * writes the streams of pods to its node's disk. It hides them there. It proves nothing: bytes that are changed on
 * their way are other bytes, which the frames' parser judges.
 */
export function voiceSealer(key: Uint8Array): (bytes: Uint8Array) => Buffer {
  const cipher = createCipheriv('aes-256-ctr', key, FROM);
  return (bytes) => cipher.update(bytes);
}

/** The other end of it. */
export function voiceOpener(key: Uint8Array): (bytes: Uint8Array) => Buffer {
  const decipher = createDecipheriv('aes-256-ctr', key, FROM);
  return (bytes) => decipher.update(bytes);
}
