// SPDX-License-Identifier: Apache-2.0
//
// The changes of a ring: a new key, and a revocation. Both return a new ring and leave the old one unchanged.
import type { Signer } from '../keys.ts';
import { isClosed, KeyStoreError, type KeyRing, type SigningKey } from './key-ring.ts';

/**
 * How long after a key's last moment a signature of it may still be dated: a running transaction, an outstanding permit
 * (ten minutes at most), and clock differences.
 */
export const LAG_MS = 15 * 60_000;

export interface Rotation {
  readonly signer: Signer;
  readonly now: number;
  /** How long the new key is published before it signs: more than every process takes to read it. */
  readonly overlapMs: number;
}

/**
 * The ring with another key, which takes over after the overlap.
 * @throws KeyStoreError if another key waits already, or for a key that the ring has
 */
export function withNext(ring: KeyRing, { signer, now, overlapMs }: Rotation): KeyRing {
  const last = ring.keys.at(-1);
  const signs_from = now + overlapMs;
  if (ring.keys.some(({ keyid }) => keyid === signer.keyid))
    throw new KeyStoreError(`the ring has the key \`${signer.keyid}\` already: a key comes once`);
  if (last !== undefined && last.signs_from > now) {
    throw new KeyStoreError(
      `the key \`${last.keyid}\` waits for its turn until ${new Date(last.signs_from).toISOString()}: rotate again after that`,
    );
  }
  const before = ring.keys.map((key) =>
    key === last ? { ...key, signs_until: signs_from, not_after: signs_from + LAG_MS } : key,
  );
  return {
    keys: [
      ...before,
      {
        keyid: signer.keyid,
        jwk: signer.publicJwk,
        not_before: now,
        signs_from,
        signs_until: null,
        not_after: null,
        revoked: null,
        signer,
      },
    ],
  };
}

/**
 * The ring with a successor of a key that signs now; unchanged for any other key. A signing key is revoked only after
 * it has a successor (`withRevoked`).
 * @throws KeyStoreError as `withNext`
 */
export function withSuccessorOf(
  ring: KeyRing,
  keyid: string,
  rotation: Rotation,
): { readonly ring: KeyRing; readonly isReplaced: boolean } {
  const last = ring.keys.at(-1);
  const isReplaced = last?.keyid === keyid && last.signs_from <= rotation.now;
  return { ring: isReplaced ? withNext(ring, rotation) : ring, isReplaced };
}

export interface RingRevocation {
  readonly keyid: string;
  readonly now: number;
  /** From when its signatures are no longer trusted. */
  readonly from: number;
  /** How long until it is closed: more than every process takes to learn of it. */
  readonly settleMs: number;
}

/**
 * The ring with a key revoked, or without the key if it never signed. The last key needs a successor first
 * (`withNext`).
 * @throws KeyStoreError for a missing or already revoked key, one without a successor in time, and a future date
 */
export function withRevoked(ring: KeyRing, { keyid, now, from, settleMs }: RingRevocation): KeyRing {
  const closes_at = now + settleMs;
  const key = ring.keys.find((known) => known.keyid === keyid);
  if (key === undefined) throw new KeyStoreError(`there is no key \`${keyid}\`: \`list\` shows those that there are`);
  if (key.revoked !== null)
    throw new KeyStoreError(
      `the key \`${keyid}\` was revoked on ${new Date(key.revoked.at).toISOString()}; what the logs say of that can't be changed`,
    );
  if (from > now)
    throw new KeyStoreError(
      'a key is revoked from now or from an earlier date on: later ones are what `rotate` is for',
    );
  if (key.signs_from > closes_at) return withoutNext(ring, key);
  const revoked: SigningKey = { ...key, revoked: { at: now, from, closes_at } };
  const keys = ring.keys.map((known) => (known === key ? revoked : known));
  const successor = keys.findLast(({ signs_from }) => signs_from <= closes_at);
  if (successor === undefined || successor.signer === null || isClosed(successor, closes_at))
    throw new KeyStoreError(`nothing would sign once \`${keyid}\` is closed: it needs a successor first`);
  return { keys };
}

/** Removes the last key, which has not signed yet. The key before it continues to sign. */
function withoutNext({ keys }: KeyRing, waiting: SigningKey): KeyRing {
  const rest = keys.filter((key) => key !== waiting);
  const last = rest.at(-1);
  return { keys: rest.map((key) => (key === last ? { ...key, signs_until: null, not_after: null } : key)) };
}
