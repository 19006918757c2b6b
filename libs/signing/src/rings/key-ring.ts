// SPDX-License-Identifier: Apache-2.0
//
// The keys of one purpose, and when each of them signs. INVARIANT (one signs): at any time at most one key of a ring
// signs, and which one follows from the ring and the time alone, so that replicas which read the same ring agree
// without talking. INVARIANT (known before it signs): a key is in the ring, and so published, before its time to sign
// begins. Times are milliseconds since the epoch.
import type { PublicJwk, Signer } from '../keys.ts';

/** What keys are for; each has a ring of its own, and what one signs no other's verifier takes. */
export const PURPOSES = ['permit', 'record', 'checkpoint'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** That a key is no longer trusted. */
export interface Revocation {
  /** When somebody said so. */
  readonly at: number;
  /**
   * From when on nobody answers for what it signed: the day that it was lost, as far as that is known. At most `at`.
   */
  readonly from: number;
  /** Until when it signs where no other does, and what it signed is taken in: time for every process to hear of it. */
  readonly closes_at: number;
}

export interface SigningKey {
  /** RFC 7638 thumbprint. */
  readonly keyid: string;
  readonly jwk: PublicJwk;
  /** When it was made known; null for a key older than its ring. */
  readonly not_before: number | null;
  readonly signs_from: number;
  /** When its successor begins; null while it has none. */
  readonly signs_until: number | null;
  /** Until when something may be dated that it signed; null while it has no successor. */
  readonly not_after: number | null;
  readonly revoked: Revocation | null;
  /** null where only the public half is here. */
  readonly signer: Signer | null;
}

/** In the order in which they sign. */
export interface KeyRing {
  readonly keys: readonly SigningKey[];
}

export type KeyState = 'next' | 'current' | 'retired' | 'revoked';

/**
 * Something is wrong with the keys themselves, or with what was asked of them. `message` never repeats a private key.
 */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';
}

/**
 * The key that signs at `now`: the youngest whose time has come. Undefined where that one was revoked and is closed, or
 * has no private half.
 */
export function signingKeyAt({ keys }: KeyRing, now: number): SigningKey | undefined {
  const youngest = keys.findLast(({ signs_from }) => signs_from <= now);
  return youngest !== undefined && youngest.signer !== null && !isClosed(youngest, now) ? youngest : undefined;
}

/** Answers whether what the key signed is taken in no longer. */
export const isClosed = ({ revoked }: Pick<SigningKey, 'revoked'>, now: number): boolean =>
  revoked !== null && revoked.closes_at <= now;

export function stateAt(key: SigningKey, now: number): KeyState {
  if (key.revoked !== null) return 'revoked';
  if (now < key.signs_from) return 'next';
  return key.signs_until === null || now < key.signs_until ? 'current' : 'retired';
}

/** A ring of one key, which signs for as long as nobody says otherwise: what a deployment begins with. */
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
