// SPDX-License-Identifier: Apache-2.0
//
// What is published of a ring: for those who verify, in `{"keys":[…]}`.
import { Fault, parseMessage } from '@writ/contract';
import { JsonError, parseIJson } from '@writ/digest';
import { decodeBase64Url } from '../base64/base64.ts';
import { formatNoteKey } from '../note-key.ts';
import { parseVerifier, type Verifier } from '../keys.ts';
import { SignatureError } from '../signature-error.ts';
import { Type, type Static } from 'typebox';
import { KeyStoreError, type KeyRing } from './key-ring.ts';

const Instant = Type.Union([Type.Integer(), Type.Null()]);

/** A public key as a file lists it. Of a key without an end or a beginning that member may be left out. */
export const PublicKeyEntry = Type.Object({
  keyid: Type.String({ minLength: 1 }),
  jwk: Type.Record(Type.String(), Type.Unknown()),
  not_before: Type.Optional(Instant),
  not_after: Type.Optional(Instant),
  /** From when on nobody answers for what it signed. */
  revoked_from: Type.Optional(Type.Integer()),
  /** When what it signed is no longer taken in. */
  closes_at: Type.Optional(Type.Integer()),
});
export type PublicKeyEntry = Static<typeof PublicKeyEntry>;

const PublicKeyFile = Type.Object({ keys: Type.Array(PublicKeyEntry, { minItems: 1 }) });

/** A key whose signatures are taken. */
export interface KnownKey extends Verifier {
  /** null for no bound; what lies outside wasn't signed by whom the key belonged to */
  readonly notBefore: number | null;
  readonly notAfter: number | null;
  /** null unless revoked: when its signatures are no longer taken */
  readonly closesAt: number | null;
}

const LIMITS = { depthMax: 8 };

/** What is published of a ring of permit or record keys. */
export function publicKeysOf({ keys }: KeyRing): { keys: PublicKeyEntry[] } {
  return {
    keys: keys.map(({ keyid, jwk, not_before, not_after, revoked }) => ({
      keyid,
      jwk: { ...jwk },
      ...(not_before === null ? {} : { not_before }),
      ...(not_after === null ? {} : { not_after }),
      ...(revoked === null ? {} : { revoked_from: revoked.from, closes_at: revoked.closes_at }),
    })),
  };
}

/**
 * What is published of the ring of checkpoint keys: C2SP verifier keys under the deployment's name; those that were
 * revoked apart, so that a reader who knows of no such list trusts none of them.
 */
export function logKeysOf({ keys }: KeyRing, deployment: string): { keys: string[]; revoked: string[] } {
  const named = (isWanted: (revoked: boolean) => boolean) =>
    keys
      .filter(({ revoked }) => isWanted(revoked !== null))
      .map(({ jwk }) => formatNoteKey(deployment, decodeBase64Url(jwk.x, 'malformed_key')));
  return { keys: named((revoked) => !revoked), revoked: named((revoked) => revoked) };
}

/**
 * Reads a file of public keys, by id.
 * @throws KeyStoreError
 */
export function parsePublicKeys(text: string): ReadonlyMap<string, KnownKey> {
  try {
    const { keys } = parseMessage(PublicKeyFile, parseIJson(text, LIMITS));
    return new Map(
      keys.map(({ keyid, jwk, not_before = null, not_after = null, closes_at = null }) => {
        const verifier = parseVerifier(jwk);
        if (verifier.keyid !== keyid) throw new KeyStoreError(`\`${keyid}\` is not the thumbprint of its key`);
        return [keyid, { ...verifier, notBefore: not_before, notAfter: not_after, closesAt: closes_at }];
      }),
    );
  } catch (error) {
    if (error instanceof SignatureError) throw new KeyStoreError('a key is no public Ed25519 key', { cause: error });
    if (error instanceof JsonError || error instanceof Fault)
      throw new KeyStoreError(`it is no list of public keys: ${error.message}`, { cause: error });
    throw error;
  }
}
