// SPDX-License-Identifier: Apache-2.0
//
// The published part of a ring, for verifiers, as `{"keys":[…]}`.
import { Fault, parseMessage } from '@writ/contract';
import { JsonError, parseIJson } from '@writ/digest';
import { decodeBase64Url } from '../base64/base64.ts';
import { formatNoteKey } from '../note-key.ts';
import { parseVerifier, type Verifier } from '../keys.ts';
import { SignatureError } from '../signature-error.ts';
import { Type, type Static } from 'typebox';
import { KeyStoreError, type KeyRing } from './key-ring.ts';

const Instant = Type.Union([Type.Integer(), Type.Null()]);

/** A public key in a file. A key without an end or a beginning may omit that member. */
export const PublicKeyEntry = Type.Object({
  keyid: Type.String({ minLength: 1 }),
  jwk: Type.Record(Type.String(), Type.Unknown()),
  not_before: Type.Optional(Instant),
  not_after: Type.Optional(Instant),
  /** From when its signatures are not trusted. */
  revoked_from: Type.Optional(Type.Integer()),
  /** When its signatures are no longer accepted. */
  closes_at: Type.Optional(Type.Integer()),
});
export type PublicKeyEntry = Static<typeof PublicKeyEntry>;

const PublicKeyFile = Type.Object({ keys: Type.Array(PublicKeyEntry, { minItems: 1 }) });

/** A key whose signatures are accepted. */
export interface KnownKey extends Verifier {
  /** null for no limit; a signature outside of the limits isn't the key holder's */
  readonly notBefore: number | null;
  readonly notAfter: number | null;
  /** null unless revoked: when its signatures are no longer accepted */
  readonly closesAt: number | null;
}

const LIMITS = { depthMax: 8 };

/** The published part of a ring of permit or record keys. */
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
 * The published part of the ring of checkpoint keys: C2SP verifier keys under the deployment's name. Revoked ones are
 * listed separately, so that readers without support for that list don't trust them.
 */
export function logKeysOf({ keys }: KeyRing, deployment: string): { keys: string[]; revoked: string[] } {
  const named = (isWanted: (revoked: boolean) => boolean) =>
    keys
      .filter(({ revoked }) => isWanted(revoked !== null))
      .map(({ jwk }) => formatNoteKey(deployment, decodeBase64Url(jwk.x, 'malformed_key')));
  return { keys: named((revoked) => !revoked), revoked: named((revoked) => revoked) };
}

/**
 * Parses a file of public keys, by id.
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
