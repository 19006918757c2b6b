// SPDX-License-Identifier: Apache-2.0
//
// Ed25519 keys (RFC 8032), parsed once: parsing costs as much as signing. A key's id is its RFC 7638 thumbprint, except
// in notes, which have C2SP's own ids.
import { platform } from '#ed25519';
import { canonicalBytes, sha256 } from '@writ/digest';
import { decodeBase64Url, encodeBase64Url } from './base64/base64.ts';
import { isBeyondP, isOfSmallOrder } from './ed25519/point.ts';
import { SignatureError } from './signature-error.ts';

/** Length of an Ed25519 public key, in bytes. */
export const PUBLIC_KEY_BYTES = 32;

/** The public half of a key in the form of RFC 8037 §2. Other members (`kid`, `use`, `alg`) are ignored. */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** The 32 bytes of the key, base64url. */
  readonly x: string;
}

export interface Signer {
  readonly keyid: string;
  readonly publicJwk: PublicJwk;
  /** The 32 bytes of the public key. */
  readonly publicKey: Uint8Array;
  /** The 64 bytes of the signature (RFC 8032 §5.1.6). */
  sign(bytes: Uint8Array): Uint8Array;
}

export interface Verifier {
  readonly keyid: string;
  /** Returns if this key signed exactly these bytes, else throws SignatureError `bad_signature`. */
  verify(bytes: Uint8Array, signature: Uint8Array): void;
  /** The same, computed on another thread: for programs that verify many. Rejects as `verify` throws. */
  verifyOnThread(bytes: Uint8Array, signature: Uint8Array): Promise<void>;
}

/**
 * Parses a private key from PKCS #8 PEM.
 *
 * @throws SignatureError `malformed_key`
 */
export function parseSigner(pkcs8Pem: string): Signer {
  const key = platform.privateKeyOf(pkcs8Pem);
  const publicJwk = publicJwkOf(key.publicKey);
  return { keyid: keyidOf(publicJwk), publicJwk, publicKey: key.publicKey, sign: (bytes) => key.sign(bytes) };
}

/**
 * Parses a public key from a JWK.
 *
 * @throws SignatureError `malformed_key`, also for a JWK with the private half, which must not be published. It also
 * refuses a key of small order, under which a signature is valid for many messages, and one encoded beyond p, which is
 * a second encoding of a key.
 */
export function parseVerifier(jwk: unknown): Verifier {
  const { publicJwk, publicKey } = parsePublicJwk(jwk);
  const key = platform.publicKeyOf(publicKey);
  return {
    keyid: keyidOf(publicJwk),
    verify: (bytes, signature) => {
      if (!key.verify(bytes, signature)) throw new SignatureError('bad_signature');
    },
    verifyOnThread: async (bytes, signature) => {
      if (!(await key.verifyOnThread(bytes, signature))) throw new SignatureError('bad_signature');
    },
  };
}

/**
 * The key's id: its JWK thumbprint (RFC 7638 §3, RFC 8037 §2), base64url of SHA-256 over the three required members.
 */
export function keyidOf({ kty, crv, x }: PublicJwk): string {
  // RFC 7638 requires the members in lexical order without white space, as RFC 8785 writes them.
  return encodeBase64Url(sha256(canonicalBytes({ crv, kty, x })));
}

/** The JWK of a raw public key. */
export function publicJwkOf(publicKey: Uint8Array): PublicJwk {
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new SignatureError('malformed_key');
  return { kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(publicKey) };
}

function parsePublicJwk(jwk: unknown): { publicJwk: PublicJwk; publicKey: Uint8Array } {
  if (typeof jwk !== 'object' || jwk === null || 'd' in jwk) throw new SignatureError('malformed_key');
  const { kty, crv, x } = jwk as Record<string, unknown>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') throw new SignatureError('malformed_key');
  const publicKey = decodeBase64Url(x, 'malformed_key');
  if (publicKey.length !== PUBLIC_KEY_BYTES || isOfSmallOrder(publicKey) || isBeyondP(publicKey))
    throw new SignatureError('malformed_key');
  return { publicJwk: { kty, crv, x }, publicKey };
}
