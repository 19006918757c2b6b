// SPDX-License-Identifier: Apache-2.0
//
// Ed25519 (RFC 8032 §5.1) as a platform has it. INVARIANT (one verdict): all platforms say the same of every key and
// signature. The equation is the one without the cofactor: the encoding of S·B − h·A must be R to the byte, S below the
// order, neither A nor R of small order, and A written as RFC 8032 has it. Where implementations differ:
// https://eprint.iacr.org/2020/1244

export interface PublicKey {
  /** Answers whether this key signed exactly these bytes; false for whatever can't be a signature. */
  verify(bytes: Uint8Array, signature: Uint8Array): boolean;
  /** The same, computed beside the event loop where the platform can. */
  verifyAside(bytes: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

export interface PrivateKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The 64 bytes of the signature. */
  sign(bytes: Uint8Array): Uint8Array;
}

export interface Ed25519 {
  /** Of 32 bytes. Those that are no point are a key that signed nothing. */
  publicKeyOf(publicKey: Uint8Array): PublicKey;
  /** Out of PKCS #8 PEM. @throws SignatureError `malformed_key` */
  privateKeyOf(pkcs8Pem: string): PrivateKey;
}

/** Whose code a platform is. */
export interface Engine {
  readonly name: 'libsodium' | 'openssl' | 'javascript';
  /** Why it isn't the fastest that there is, in a line; null where it is. */
  readonly without: string | null;
  /** Signatures to be asked about beside the loop at once, by who has many: enough that nothing is idle. */
  readonly asideAtOnce: number;
}
