// SPDX-License-Identifier: Apache-2.0
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { compareBytes, concatBytes } from '@writ/digest';
import type { Ed25519, Engine, PublicKey } from './ed25519.ts';
import { isOfSmallOrder, POINT_BYTES } from './point.ts';

const { Point } = ed25519;
const SIGNATURE_BYTES = 64;

/** RFC 8032 §5.1: integers are little-endian. */
function integerOf(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** RFC 8032 §5.1.3; null for bytes that encode no point. */
function pointOf(bytes: Uint8Array) {
  try {
    return Point.fromBytes(bytes);
  } catch {
    return null;
  }
}

function publicKeyOf(publicKey: Uint8Array): PublicKey {
  const point = isOfSmallOrder(publicKey) ? null : pointOf(publicKey);
  const verify = (bytes: Uint8Array, signature: Uint8Array): boolean => {
    if (point === null || signature.length !== SIGNATURE_BYTES || isOfSmallOrder(signature)) return false;
    const r = signature.subarray(0, POINT_BYTES);
    const s = integerOf(signature.subarray(POINT_BYTES));
    if (s >= Point.Fn.ORDER) return false;
    const h = integerOf(sha512(concatBytes([r, publicKey, bytes]))) % Point.Fn.ORDER;
    return compareBytes(Point.BASE.multiplyUnsafe(s).subtract(point.multiplyUnsafe(h)).toBytes(), r) === 0;
  };
  return { verify, verifyOnThread: async (bytes, signature) => verify(bytes, signature) };
}

/**
 * In JavaScript alone, for browsers. It only verifies: signing in JavaScript could leak a private key by its timing.
 */
export const platform: Ed25519 = {
  publicKeyOf,
  privateKeyOf: () => {
    throw new Error('private keys are read in Node.js alone');
  },
};

/** The implementation. */
export const engine: Engine = { name: 'javascript', without: null, threadBatchSize: 1 };
