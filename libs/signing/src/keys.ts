// SPDX-License-Identifier: Apache-2.0
//
// Ed25519 keys (RFC 8032), parsed once: parsing costs as much as signing. A key is named by its RFC 7638 thumbprint everywhere but in
// notes, which have C2SP's own names.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { canonicalBytes, sha256 } from '@writ/digest';
import { decodeBase64Url } from './base64.ts';
import { SignatureError } from './signature-error.ts';

/** Length of an Ed25519 public key, in bytes. */
export const PUBLIC_KEY_BYTES = 32;

/** The public half of a key as RFC 8037 §2 writes it. Other members (`kid`, `use`, `alg`) may stand beside these and mean nothing here. */
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
  /** The same, computed beside the event loop, on the threads that Node.js keeps for it: for who verifies many. Rejects as `verify` throws. */
  verifyAside(bytes: Uint8Array, signature: Uint8Array): Promise<void>;
}

/**
 * Reads a private key from PKCS #8 PEM.
 *
 * @throws SignatureError `malformed_key`
 */
export function parseSigner(pkcs8Pem: string): Signer {
  const key = readKey(() => createPrivateKey({ key: pkcs8Pem, format: 'pem' }));
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  const publicJwk: PublicJwk = { kty: 'OKP', crv: 'Ed25519', x: x as string };
  return {
    keyid: keyidOf(publicJwk),
    publicJwk,
    publicKey: decodeBase64Url(publicJwk.x, 'malformed_key'),
    sign: (bytes) => new Uint8Array(sign(null, bytes, key)),
  };
}

/**
 * Reads a public key from a JWK.
 *
 * @throws SignatureError `malformed_key`, also for one that carries the private half: it must not be where public keys are read.
 */
export function parseVerifier(jwk: unknown): Verifier {
  const { kty, crv, x } = parsePublicJwk(jwk);
  const key = readKey(() => createPublicKey({ key: { kty, crv, x }, format: 'jwk' }));
  return {
    keyid: keyidOf({ kty, crv, x }),
    verify: (bytes, signature) => {
      if (!verify(null, bytes, key, signature)) throw new SignatureError('bad_signature');
    },
    verifyAside: (bytes, signature) => new Promise((resolve, reject) => {
      // An error and a `false` are the same answer: this key did not sign these bytes.
      verify(null, bytes, key, signature, (error, isGood) => { if (error === null && isGood) resolve(); else reject(new SignatureError('bad_signature')); });
    }),
  };
}

/** The key's name: its JWK thumbprint (RFC 7638 §3, RFC 8037 §2), base64url of SHA-256 over the three required members. */
export function keyidOf({ kty, crv, x }: PublicJwk): string {
  // RFC 7638 asks for the members in lexical order without white space: what RFC 8785 gives.
  return Buffer.from(sha256(canonicalBytes({ crv, kty, x }))).toString('base64url');
}

/** The JWK of a raw public key. */
export function publicJwkOf(publicKey: Uint8Array): PublicJwk {
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new SignatureError('malformed_key');
  return { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
}

function parsePublicJwk(jwk: unknown): PublicJwk {
  if (typeof jwk !== 'object' || jwk === null || 'd' in jwk) throw new SignatureError('malformed_key');
  const { kty, crv, x } = jwk as Record<string, unknown>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') throw new SignatureError('malformed_key');
  if (decodeBase64Url(x, 'malformed_key').length !== PUBLIC_KEY_BYTES) throw new SignatureError('malformed_key');
  return { kty, crv, x };
}

function readKey(read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (cause) {
    throw new SignatureError('malformed_key', { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new SignatureError('malformed_key');
  return key;
}
