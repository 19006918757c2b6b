// SPDX-License-Identifier: Apache-2.0
//
// The keys of one purpose, and the time from which each signs. INVARIANT (one signs): at any time at most one key of a
// ring signs, and the ring and the time alone determine which one. So replicas with the same ring agree without
// coordination. INVARIANT (known before it signs): a key is in the ring, and so published, before it begins to sign.
// Times are milliseconds since the epoch.
import type { PublicJwk, Signer } from '../keys.ts';

/** The purposes of keys. Each has its own ring, and verifiers of one don't accept signatures of another. */
export const PURPOSES = ['permit', 'record', 'checkpoint'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** The revocation of a key. */
export interface Revocation {
  /** When it was revoked. */
  readonly at: number;
  /** From when its signatures are not trusted: the day of its loss, as far as known. At most `at`. */
  readonly from: number;
  /**
   * Until when it signs if no other key does, and its signatures are accepted: time for every process to learn of it.
   */
  readonly closes_at: number;
}

export interface SigningKey {
  /** RFC 7638 thumbprint. */
  readonly keyid: string;
  readonly jwk: PublicJwk;
  /** When it was published; null for a key older than its ring. */
  readonly not_before: number | null;
  readonly signs_from: number;
  /** When its successor begins; null while it has none. */
  readonly signs_until: number | null;
  /** Until when a signature of it may be dated; null while it has no successor. */
  readonly not_after: number | null;
  readonly revoked: Revocation | null;
  /** null if only the public half is present. */
  readonly signer: Signer | null;
}

/** In the order in which they sign. */
export interface KeyRing {
  readonly keys: readonly SigningKey[];
}

export type KeyState = 'next' | 'current' | 'retired' | 'revoked';

/** An error in the keys themselves, or in a requested change. `message` never contains a private key. */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';
}

/**
 * The key that signs at `now`: the latest that has begun. Undefined if it was revoked and is closed, or has no private
 * half.
 */
export function signingKeyAt({ keys }: KeyRing, now: number): SigningKey | undefined {
  const youngest = keys.findLast(({ signs_from }) => signs_from <= now);
  return youngest !== undefined && youngest.signer !== null && !isClosed(youngest, now) ? youngest : undefined;
}

/** Answers whether the key's signatures are no longer accepted. */
export const isClosed = ({ revoked }: Pick<SigningKey, 'revoked'>, now: number): boolean =>
  revoked !== null && revoked.closes_at <= now;

export function stateAt(key: SigningKey, now: number): KeyState {
  if (key.revoked !== null) return 'revoked';
  if (now < key.signs_from) return 'next';
  return key.signs_until === null || now < key.signs_until ? 'current' : 'retired';
}

/** A ring of one key without an end: the initial ring of a deployment. */
export function ringOf(signer: Signer): KeyRing {
  return {
    keys: [
      {
        keyid: signer.keyid,
        jwk: signer.publicJwk,
        not_before: null,
        signs_from: 0,
        signs_until: null,
        not_after: null,
        revoked: null,
        signer,
      },
    ],
  };
}
