// SPDX-License-Identifier: Apache-2.0
//
// Signatures in one piece of memory, which is transferred to a thread and not copied. Imports nothing: the thread loads
// this file directly.

/** A signature to verify. */
export interface SignatureCheck {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Lengths of a key and of a signature, in bytes. */
const KEY = 32;
const SIGNATURE = 64;

export interface Packed {
  /** key, signature and message of each, concatenated */
  readonly memory: Uint8Array<ArrayBuffer>;
  /** lengths of the messages */
  readonly lengths: Uint32Array<ArrayBuffer>;
}

/** Callers MUST have checked the lengths of keys and signatures. */
export function pack(checks: readonly SignatureCheck[]): Packed {
  const lengths = Uint32Array.from(checks, ({ bytes }) => bytes.length);
  const memory = new Uint8Array(lengths.reduce((sum, length) => sum + KEY + SIGNATURE + length, 0));
  let at = 0;
  for (const { publicKey, signature, bytes } of checks) {
    for (const part of [publicKey, signature, bytes]) {
      memory.set(part, at);
      at += part.length;
    }
  }
  return { memory, lengths };
}

export function unpack({ memory, lengths }: Packed): SignatureCheck[] {
  let at = 0;
  const next = (length: number): Uint8Array => memory.subarray(at, (at += length));
  return Array.from(lengths, (length) => ({ publicKey: next(KEY), signature: next(SIGNATURE), bytes: next(length) }));
}
