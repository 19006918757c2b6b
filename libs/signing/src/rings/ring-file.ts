// SPDX-License-Identifier: Apache-2.0
//
// The file of a ring. A file with one private key, PKCS #8 PEM, is a ring too: deployments without a rotation have
// that.
import { Fault, parseMessage } from '@writ/contract';
import { JsonError, parseIJson } from '@writ/digest';
import { keyidOf, parseSigner, parseVerifier } from '../keys.ts';
import { SignatureError } from '../signature-error.ts';
import { Type, type Static } from 'typebox';
import { KeyStoreError, ringOf, type KeyRing, type SigningKey } from './key-ring.ts';

const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({
  minimum: 0,
  maximum: 8_640_000_000_000_000,
  description: 'milliseconds since the epoch',
});
const InstantOrNull = Type.Union([Instant, Type.Null()]);

const RingFile = Type.Object(
  {
    v: Type.Literal(1),
    keys: Type.Array(
      Type.Object(
        {
          keyid: Type.String(),
          jwk: Type.Object({ kty: Type.Literal('OKP'), crv: Type.Literal('Ed25519'), x: Type.String() }, closed),
          not_before: InstantOrNull,
          signs_from: Instant,
          signs_until: InstantOrNull,
          not_after: InstantOrNull,
          revoked: Type.Union([Type.Null(), Type.Object({ at: Instant, from: Instant, closes_at: Instant }, closed)]),
          /** the private key; null if only the public half is stored */
          pem: Type.Union([Type.String(), Type.Null()]),
        },
        closed,
      ),
      { minItems: 1, maxItems: 1_000 },
    ),
  },
  closed,
);
type StoredKey = Static<typeof RingFile>['keys'][number];

/** A thousand keys. */
const BYTES_MAX = 1024 * 1024;
/** The file, its list, a key, its JWK. */
const DEPTH_MAX = 6;

/**
 * Parses a ring, or the PEM of a single private key.
 * @throws KeyStoreError with the problem and without private keys
 */
export function parseRing(text: string): KeyRing {
  try {
    return text.trimStart().startsWith('{') ? readRing(text) : ringOf(parseSigner(text));
  } catch (error) {
    if (error instanceof SignatureError)
      throw new KeyStoreError('a key is not an Ed25519 key as it should be written', { cause: error });
    if (error instanceof JsonError || error instanceof Fault)
      throw new KeyStoreError(`it is no ring of keys: ${error.message}`, { cause: error });
    throw error;
  }
}

function readRing(text: string): KeyRing {
  const keys = parseMessage(RingFile, parseIJson(text, { depthMax: DEPTH_MAX, bytesMax: BYTES_MAX })).keys.map(readKey);
  if (new Set(keys.map(({ keyid }) => keyid)).size < keys.length) throw new KeyStoreError('a key comes twice');
  for (const [i, { keyid, signs_from, signs_until }] of keys.entries()) {
    const next = keys[i + 1];
    // Each key begins when the previous one ends, so that at every moment exactly one key signs.
    if (signs_until !== (next?.signs_from ?? null) || (next !== undefined && next.signs_from < signs_from))
      throw new KeyStoreError(`the time of \`${keyid}\` does not end where that of the key after it begins`);
  }
  return { keys };
}

function readKey({ pem, ...key }: StoredKey): SigningKey {
  const signer = pem === null ? null : parseSigner(pem);
  parseVerifier(key.jwk);
  if (keyidOf(key.jwk) !== key.keyid || (signer !== null && signer.keyid !== key.keyid))
    throw new KeyStoreError(`\`${key.keyid}\` is not the thumbprint of its key`);
  return { ...key, signer };
}

/** Formats a ring. `pemOf` returns the private keys to store in it. */
export function formatRing({ keys }: KeyRing, pemOf: (keyid: string) => string | null): string {
  return `${JSON.stringify({ v: 1, keys: keys.map(({ signer, ...key }) => ({ ...key, pem: signer === null ? null : pemOf(key.keyid) })) }, null, 2)}\n`;
}
