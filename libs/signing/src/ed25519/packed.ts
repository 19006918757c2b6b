// SPDX-License-Identifier: Apache-2.0
//
// Signatures on their way to a thread, as one piece of memory that is handed over and not copied. Imports nothing: the
// thread reads this file as it is.

/** A signature that somebody asks about. */
export interface Asked {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Lengths of a key and of a signature, in bytes. */
const KEY = 32;
const SIGNATURE = 64;

export interface Packed {
  /** key, signature and message of each, one after the other */
  readonly memory: Uint8Array<ArrayBuffer>;
  /** lengths of the messages */
  readonly lengths: Uint32Array<ArrayBuffer>;
}

/** Callers MUST have looked at the lengths of keys and signatures. */
export function pack(asked: readonly Asked[]): Packed {
  const lengths = Uint32Array.from(asked, ({ bytes }) => bytes.length);
  const memory = new Uint8Array(lengths.reduce((sum, length) => sum + KEY + SIGNATURE + length, 0));
  let at = 0;
  for (const { publicKey, signature, bytes } of asked) {
    for (const part of [publicKey, signature, bytes]) {
      memory.set(part, at);
      at += part.length;
    }
  }
  return { memory, lengths };
}

export function unpack({ memory, lengths }: Packed): Asked[] {
  let at = 0;
  const next = (length: number): Uint8Array => memory.subarray(at, (at += length));
  return Array.from(lengths, (length) => ({ publicKey: next(KEY), signature: next(SIGNATURE), bytes: next(length) }));
}
