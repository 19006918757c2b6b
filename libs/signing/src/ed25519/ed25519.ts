// SPDX-License-Identifier: Apache-2.0
//
// Ed25519 (RFC 8032 §5.1) on a platform. INVARIANT (one verdict): all platforms have the same verdict for every key and
// signature. They use the equation without the cofactor: the encoding of S·B − h·A must equal R byte by byte, S must be
// below the order, neither A nor R may be of small order, and A must be encoded as in RFC 8032. Where implementations
// differ: https://eprint.iacr.org/2020/1244

export interface PublicKey {
  /** Answers whether this key signed exactly these bytes; false for anything that can't be a signature. */
  verify(bytes: Uint8Array, signature: Uint8Array): boolean;
  /** The same, computed on another thread if the platform can. */
  verifyOnThread(bytes: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

export interface PrivateKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The 64 bytes of the signature. */
  sign(bytes: Uint8Array): Uint8Array;
}

export interface Ed25519 {
  /** From 32 bytes. Bytes that are no point make a key that verifies nothing. */
  publicKeyOf(publicKey: Uint8Array): PublicKey;
  /** From PKCS #8 PEM. @throws SignatureError `malformed_key` */
  privateKeyOf(pkcs8Pem: string): PrivateKey;
}

/** The implementation behind a platform. */
export interface Engine {
  readonly name: 'libsodium' | 'openssl' | 'javascript';
  /** Why the fastest one is not used, in a line; null if it is. */
  readonly without: string | null;
  /** How many signatures to verify on threads at once when there are many: enough to keep them busy. */
  readonly threadBatchSize: number;
}
