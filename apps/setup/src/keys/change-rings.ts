// SPDX-License-Identifier: Apache-2.0
// Another signing key, and one that is given up. The command `writ signing-keys` does the same on files.
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

/** What becomes of a ring. It MUST be announced before it is written. */
export interface RingChange extends Announced {
  /** the text of the changed ring */
  readonly ring: string;
  /** what to tell a person */
  readonly told: string;
}

export interface ChangeOptions {
  /** milliseconds since the epoch */
  readonly now: number;
  /** milliseconds for which a new key is known before it signs: longer than every process takes to read it */
  readonly overlapMs: number;
}

/** What the ledger still takes in by a key that was revoked, after its successor signs everywhere. */
const SETTLE_MS = 30_000;

/**
 * A line for each key of all rings: whose, its id, its state, and since when it signs where that is known.
 * @throws Failure
 */
export function listed(texts: RingTexts, now: number): readonly string[] {
  return PURPOSES.flatMap((purpose) =>
    parseRingText(texts[purpose]).ring.keys.map((key) => {
      const since = key.signs_from === 0 ? '' : ` (signs from ${new Date(key.signs_from).toISOString()})`;
      return `${purpose} ${key.keyid} ${stateAt(key, now)}${since}`;
    }),
  );
}

/** Makes another key of the purpose, which signs after the overlap: a new one whenever it is called. @throws Failure */
export function rotate(texts: RingTexts, purpose: Purpose, options: ChangeOptions): RingChange {
  const made = newKey();
  const { now, overlapMs } = options;
  const change = changeOf(texts, purpose, made.signer.keyid, made.pem, (ring) =>
    withNext(ring, { signer: made.signer, now, overlapMs }),
  );
  const from = new Date(now + overlapMs).toISOString();
  return {
    ...change,
    told: `the ${purpose} key ${made.signer.keyid} signs from ${from} on; until then the one before does`,
  };
}

/**
 * Gives up a key that others may have; where it signs now, another takes its place after the overlap.
 * @throws Failure
 */
export function revoke(
  texts: RingTexts,
  purpose: Purpose,
  { keyid, from, ...options }: ChangeOptions & { readonly keyid: string; readonly from: number },
): RingChange {
  const made = newKey();
  const { now, overlapMs } = options;
  const change = changeOf(texts, purpose, made.signer.keyid, made.pem, (ring) => {
    const next = withSuccessorOf(ring, keyid, { signer: made.signer, now, overlapMs });
    return withRevoked(next.ring, { keyid, now, from, settleMs: next.isReplaced ? overlapMs + SETTLE_MS : SETTLE_MS });
  });
  return { ...change, told: `the ${purpose} key ${keyid} is revoked from ${new Date(from).toISOString()} on` };
}

function changeOf(
  texts: RingTexts,
  purpose: Purpose,
  madeId: string,
  madePem: string,
  change: (ring: KeyRing) => KeyRing,
): Omit<RingChange, 'told'> {
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
