// SPDX-License-Identifier: Apache-2.0
import { parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { parseNoteKey, parseVerifier } from '@writ/signing';
import type { NoteKey, Verifier } from '@writ/signing';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { demand, within } from './run-check.ts';

/** Enough for hundreds of keys; bounds the work on a hostile file. */
const KEYS_BYTES_MAX = 256 * 1024;
/** The file, the list, an entry, its JWK, and further members of a JWK. */
const KEYS_DEPTH = 8;

const closed = { additionalProperties: false } as const;
const Instant = Type.Optional(
  Type.Union([Type.Integer(), Type.Null()], { description: 'milliseconds since the epoch' }),
);

/** `writ-keys.json`: the public keys of a deployment, current and past. */
export const PublishedKeys = Type.Object(
  {
    record_keys: Type.Array(
      Type.Object(
        {
          keyid: Type.String(),
          jwk: Type.Unknown(),
          not_before: Instant,
          not_after: Instant,
          revoked_from: Type.Optional(
            Type.Integer({
              minimum: 0,
              description:
                'from when on somebody else may have had the key, in milliseconds since the epoch; left out unless it was revoked',
            }),
          ),
        },
        closed,
      ),
    ),
    log_keys: Type.Array(Type.String()),
    revoked_log_keys: Type.Optional(
      Type.Array(Type.String(), {
        description: 'keys that signed checkpoints and were revoked: none of them is trusted',
      }),
    ),
  },
  closed,
);
export type PublishedKeys = Static<typeof PublishedKeys>;

export interface RecordKey {
  readonly verifier: Verifier;
  /** First and last millisecond in which the key may have signed; null for no limit. */
  readonly notBefore: number | null;
  readonly notAfter: number | null;
  /** The millisecond from which somebody else may have had the key; null for a key that was not revoked. */
  readonly revokedAt: number | null;
}

/** The keys that a verifier trusts. */
export interface KeySet {
  readonly recordKeys: ReadonlyMap<string, RecordKey>;
  readonly logKeys: readonly NoteKey[];
  /**
   * Revoked keys of checkpoints. Verifiers MUST NOT accept a checkpoint signed by one. A program that computed the root
   * itself may name the key that signed it.
   */
  readonly revokedLogKeys: readonly NoteKey[];
}

/**
 * Parses `writ-keys.json`. The source of this file decides what verifies, so the caller must trust it.
 *
 * @throws ReceiptError `keys`
 */
export function parseKeySet(file: string | Uint8Array): KeySet {
  return keySetOf(within('keys', () => parseIJson(file, { depthMax: KEYS_DEPTH, bytesMax: KEYS_BYTES_MAX })));
}

/**
 * The same from a value.
 *
 * @throws ReceiptError `keys`, also for a key whose name isn't its thumbprint, for a duplicate name, and for a
 * checkpoint key that is both trusted and revoked.
 */
export function keySetOf(value: unknown): KeySet {
  const published = within('keys', () => parseMessage(PublishedKeys, value));
  const recordKeys = new Map<string, RecordKey>();
  for (const { keyid, jwk, not_before, not_after, revoked_from } of published.record_keys) {
    const verifier = within('keys', () => parseVerifier(jwk));
    demand('keys', verifier.keyid === keyid, `\`${keyid}\` is not the thumbprint of its key`);
    demand('keys', !recordKeys.has(keyid), `\`${keyid}\` comes twice`);
    recordKeys.set(keyid, {
      verifier,
      notBefore: not_before ?? null,
      notAfter: not_after ?? null,
      revokedAt: revoked_from ?? null,
    });
  }
  const [logKeys, revokedLogKeys] = [noteKeysOf(published.log_keys), noteKeysOf(published.revoked_log_keys ?? [])];
  const both = revokedLogKeys.find(({ verifier }) => logKeys.some((key) => key.verifier.keyid === verifier.keyid));
  demand(
    'keys',
    both === undefined,
    `\`${both?.name ?? ''}+${both?.keyHash ?? ''}\` is trusted and revoked: a checkpoint key is one of them`,
  );
  return { recordKeys, logKeys, revokedLogKeys };
}

const noteKeysOf = (texts: readonly string[]): NoteKey[] =>
  texts.map((text) => within('keys', () => parseNoteKey(text)));
