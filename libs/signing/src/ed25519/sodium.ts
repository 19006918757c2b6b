// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey } from 'node:crypto';
import type { Ed25519, PrivateKey, PublicKey } from './ed25519.ts';
import { openssl, readKey } from './openssl.ts';
import { POINT_BYTES } from './point.ts';
import type { VerifyingThread } from './verifying-thread.ts';

const SIGNATURE_BYTES = 64;
/** The private half in PKCS #8: the last bytes of the DER (RFC 8410 §7). */
const SEED_BYTES = 32;

/** The used functions of libsodium: https://doc.libsodium.org/public-key_cryptography/public-key_signatures */
export interface Sodium {
  crypto_sign_verify_detached(signature: Uint8Array, bytes: Uint8Array, publicKey: Uint8Array): boolean;
  crypto_sign_detached(signature: Uint8Array, bytes: Uint8Array, secretKey: Uint8Array): void;
  crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void;
  /** Memory that is locked, between guard pages, and in no core dump. */
  sodium_malloc(bytes: number): Uint8Array;
}

/**
 * By libsodium, in half of OpenSSL's time. It refuses keys and R of small order, S beyond the order, and keys whose y
 * is encoded beyond p.
 */
export function sodiumPlatform(sodium: Sodium, thread: VerifyingThread): Ed25519 {
  const publicKeyOf = (publicKey: Uint8Array): PublicKey => {
    const { verifyOnThread } = openssl.publicKeyOf(publicKey);
    return {
      verify: (bytes, signature) =>
        signature.length === SIGNATURE_BYTES && sodium.crypto_sign_verify_detached(signature, bytes, publicKey),
      verifyOnThread: async (bytes, signature) =>
        signature.length === SIGNATURE_BYTES &&
        thread.verify({ publicKey, signature, bytes }, () => verifyOnThread(bytes, signature)),
    };
  };
  const privateKeyOf = (pkcs8Pem: string): PrivateKey => {
    const der = readKey(() => createPrivateKey({ key: pkcs8Pem, format: 'pem' })).export({
      format: 'der',
      type: 'pkcs8',
    });
    const publicKey = new Uint8Array(POINT_BYTES);
    const secretKey = sodium.sodium_malloc(SIGNATURE_BYTES);
    sodium.crypto_sign_seed_keypair(publicKey, secretKey, der.subarray(-SEED_BYTES));
    der.fill(0);
    const sign = (bytes: Uint8Array): Uint8Array => {
      const signature = new Uint8Array(SIGNATURE_BYTES);
      sodium.crypto_sign_detached(signature, bytes, secretKey);
      return signature;
    };
    return { publicKey, sign };
  };
  return { publicKeyOf, privateKeyOf };
}
