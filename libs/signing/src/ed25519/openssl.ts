// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { decodeBase64Url, encodeBase64Url } from '../base64/base64.ts';
import { SignatureError } from '../signature-error.ts';
import type { Ed25519, PrivateKey, PublicKey } from './ed25519.ts';
import { isBeyondP, isOfSmallOrder } from './point.ts';

/** Reads an Ed25519 key. @throws SignatureError `malformed_key` */
export function readKey(read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (cause) {
    throw new SignatureError('malformed_key', { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new SignatureError('malformed_key');
  return key;
}

function publicKeyOf(publicKey: Uint8Array): PublicKey {
  const key = readKey(() =>
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(publicKey) }, format: 'jwk' }),
  );
  const isRefused = isOfSmallOrder(publicKey) || isBeyondP(publicKey);
  return {
    verify: (bytes, signature) => !isRefused && !isOfSmallOrder(signature) && verify(null, bytes, key, signature),
    verifyOnThread: (bytes, signature) =>
      new Promise((resolve) => {
        if (isRefused || isOfSmallOrder(signature)) return resolve(false);
        // An error and a `false` have the same meaning: this key did not sign these bytes.
        verify(null, bytes, key, signature, (error, isGood) => {
          resolve(error === null && isGood);
        });
      }),
  };
}

function privateKeyOf(pkcs8Pem: string): PrivateKey {
  const key = readKey(() => createPrivateKey({ key: pkcs8Pem, format: 'pem' }));
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return {
    publicKey: decodeBase64Url(x as string, 'malformed_key'),
    sign: (bytes) => new Uint8Array(sign(null, bytes, key)),
  };
}

/** By the OpenSSL in Node.js, on every platform of Node.js. */
export const openssl: Ed25519 = { publicKeyOf, privateKeyOf };
