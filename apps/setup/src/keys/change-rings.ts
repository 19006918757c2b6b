// SPDX-License-Identifier: Apache-2.0
// Rotates and revokes signing keys. The command `writ signing-keys` does the same on files.
import { newKey, parseRingText, type Announced } from '@writ/nest-kit/keys';
import {
  formatRing,
  KeyStoreError,
  PURPOSES,
  stateAt,
  withNext,
  withRevoked,
  withSuccessorOf,
  type KeyRing,
  type Purpose,
} from '@writ/signing';
import { Failure } from '../failure.ts';

/** The text of each ring, with its private keys. */
export type RingTexts = Readonly<Record<Purpose, string>>;

/** A change of a ring. It MUST be announced before the ring is written. */
export interface RingChange extends Announced {
  /** the text of the changed ring */
  readonly ring: string;
  /** the message for the operator */
  readonly message: string;
}

export interface ChangeOptions {
  /** milliseconds since the epoch */
  readonly now: number;
  /** milliseconds for which a new key is published before it signs: longer than every process takes to read it */
  readonly overlapMs: number;
}

/** How long the ledger still accepts records by a revoked key, after its successor signs everywhere. */
const SETTLE_MS = 30_000;

/**
 * A line for each key of all rings: its purpose, id and state, and since when it signs where that is known.
 * @throws Failure
 */
export function describeKeys(texts: RingTexts, now: number): readonly string[] {
  return PURPOSES.flatMap((purpose) =>
    parseRingText(texts[purpose]).ring.keys.map((key) => {
      const since = key.signs_from === 0 ? '' : ` (signs from ${new Date(key.signs_from).toISOString()})`;
      return `${purpose} ${key.keyid} ${stateAt(key, now)}${since}`;
    }),
  );
}

/** Makes another key of the purpose, which signs after the overlap. Each call makes a new key. @throws Failure */
export function rotate(texts: RingTexts, purpose: Purpose, options: ChangeOptions): RingChange {
  const generated = newKey();
  const { now, overlapMs } = options;
  const change = changeOf(texts, purpose, generated.signer.keyid, generated.pem, (ring) =>
    withNext(ring, { signer: generated.signer, now, overlapMs }),
  );
  const from = new Date(now + overlapMs).toISOString();
  return {
    ...change,
    message: `the ${purpose} key ${generated.signer.keyid} signs from ${from} on; until then the one before does`,
  };
}

/**
 * Revokes a key that others may have. If it signs now, a successor signs after the overlap.
 * @throws Failure
 */
export function revoke(
  texts: RingTexts,
  purpose: Purpose,
  { keyid, from, ...options }: ChangeOptions & { readonly keyid: string; readonly from: number },
): RingChange {
  const generated = newKey();
  const { now, overlapMs } = options;
  const change = changeOf(texts, purpose, generated.signer.keyid, generated.pem, (ring) => {
    const next = withSuccessorOf(ring, keyid, { signer: generated.signer, now, overlapMs });
    return withRevoked(next.ring, { keyid, now, from, settleMs: next.isReplaced ? overlapMs + SETTLE_MS : SETTLE_MS });
  });
  return { ...change, message: `the ${purpose} key ${keyid} is revoked from ${new Date(from).toISOString()} on` };
}

function changeOf(
  texts: RingTexts,
  purpose: Purpose,
  madeId: string,
  madePem: string,
  change: (ring: KeyRing) => KeyRing,
): Omit<RingChange, 'message'> {
  try {
    const { ring, pemOf } = parseRingText(texts[purpose]);
    const changed = change(ring);
    const text = formatRing(changed, (keyid) => (keyid === madeId ? madePem : pemOf(keyid)));
    return { purpose, changed, ring: text };
  } catch (error) {
    if (error instanceof KeyStoreError) throw new Failure(error.message, error);
    throw error;
  }
}
