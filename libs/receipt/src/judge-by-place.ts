// SPDX-License-Identifier: Apache-2.0
//
// Judges what a revoked record key signed by where it stands in its log. INVARIANT (no thief's word): no time that the
// holder of a record key can write decides anything; what does is the order of leaves under checkpoints that are
// trusted, and the times of witnesses. INVARIANT (who is trusted says whom): which keys are revoked the verifier's own
// keys say. A log says only where, and of a key of checkpoints that it is gone: a thief who had records of revocation
// logged first would else end the keys that are to end his.
import type { AuditRecord } from '@writ/contract';
import { verifyCosignatures } from '@writ/signing';
import { keyEventOf } from './key-record.ts';
import type { KeyEvent } from './key-record.ts';
import type { KeySet } from './key-set.ts';
import type { Witnessing } from './trust-policy.ts';

/** That a log says of a key that it was revoked, and where. */
export interface LoggedRevocation {
  readonly purpose: KeyEvent['purpose'];
  /** of the log's checkpoints: `<deployment>/<log_id>` */
  readonly origin: string;
  readonly keyid: string;
  readonly leafIndex: number;
  /** who says so: a key of records, of whichever purpose the revoked one is */
  readonly signedBy: string;
  /** milliseconds since the epoch: nobody answers for what it signed from then on */
  readonly from: number;
}

/** Revocations that logs were shown to hold, in any order. */
export type KeyHistory = readonly LoggedRevocation[];

/** A record by a key that was revoked, and where it was shown to stand. */
export interface PlacedRecord {
  readonly origin: string;
  readonly keyid: string;
  readonly leafIndex: number;
  /** The checkpoint that it was proved towards, verified under a key of its log; null where the whole log was read. */
  readonly note: string | null;
}

/** What becomes of such a record, in words for people. */
export interface Judgement {
  readonly isGood: boolean;
  /** `unproven` where nothing shows that the record is older than the revocation, nor that it isn't */
  readonly by: 'place' | 'witnesses' | 'unproven';
  readonly words: string;
}

/**
 * The revocation of a key that a record states; null where it states none. Callers MUST have verified the record's
 * signature, and that it is that leaf of that log.
 */
export function revocationIn(record: AuditRecord, origin: string, leafIndex: number): LoggedRevocation | null {
  const said = keyEventOf(record);
  if (said?.event !== 'revoked' || said.keyid === record.kernel_key_id) return null;
  return {
    purpose: said.purpose,
    origin,
    keyid: said.keyid,
    leafIndex,
    signedBy: record.kernel_key_id,
    from: said.from,
  };
}

/**
 * The first leaf of a log that states the revocation of a record key; undefined where none does. What a key says that
 * was itself revoked is nobody's word: a revocation by it is logged anew by another.
 */
export function revokedAtLeaf(
  history: KeyHistory,
  { origin, keyid }: Pick<PlacedRecord, 'origin' | 'keyid'>,
  keys: KeySet,
): number | undefined {
  const leaves = history.filter(
    (one) =>
      one.purpose === 'record' &&
      one.origin === origin &&
      one.keyid === keyid &&
      one.signedBy !== keyid &&
      counts(one, keys),
  );
  return leaves.length === 0 ? undefined : Math.min(...leaves.map(({ leafIndex }) => leafIndex));
}

const counts = ({ signedBy }: LoggedRevocation, { recordKeys }: KeySet): boolean =>
  recordKeys.get(signedBy)?.revokedAt === null;

/**
 * Judges a checkpoint by what logs say of the key that signed it; null where it is good. A checkpoint has no place in a
 * log: its tree may be as small as its signer likes, so none is good for being from before. INVARIANT (only less): no
 * log makes anybody trust a key, so what one says here can but take a checkpoint away.
 */
export function judgeCheckpoint(
  note: string,
  keyid: string,
  history: KeyHistory,
  keys: KeySet,
  witnessing: Witnessing | null,
): string | null {
  const said = history.filter((one) => one.purpose === 'checkpoint' && one.keyid === keyid && counts(one, keys));
  const [first] = said.sort((a, b) => a.from - b.from);
  if (first === undefined || (witnessing !== null && seenBefore(note, witnessing, first.from))) return null;
  return `the log says that the key of this checkpoint was revoked from ${new Date(first.from).toISOString()} on (leaf ${String(first.leafIndex)}): fetch the receipt anew, under a key that is not`;
}

/** In words, what is said where nothing is known of a place. */
export const UNPROVEN =
  "the key was revoked, and nothing here shows that the record is older; a history of the log's keys may (`writ log keys`)";

/** Judges a record by a key that `keys` names as revoked. */
export function judgeByPlace(
  placed: PlacedRecord,
  history: KeyHistory,
  keys: KeySet,
  witnessing: Witnessing | null,
): Judgement {
  const revokedAt = keys.recordKeys.get(placed.keyid)?.revokedAt ?? 0;
  const revoked = `signed by a key that was revoked from ${new Date(revokedAt).toISOString()} on`;
  const leaf = revokedAtLeaf(history, placed, keys);
  if (leaf !== undefined) {
    const [at, end] = [String(placed.leafIndex), String(leaf)];
    return placed.leafIndex < leaf
      ? { isGood: true, by: 'place', words: `${revoked}, but recorded before the revocation (leaf ${at} < ${end})` }
      : { isGood: false, by: 'place', words: `the key was revoked before the record was logged (leaf ${at} > ${end})` };
  }
  if (placed.note !== null && witnessing !== null && seenBefore(placed.note, witnessing, revokedAt)) {
    return {
      isGood: true,
      by: 'witnesses',
      words: `${revoked}, but ${String(witnessing.terms.quorum)} witnesses saw it in the log before that`,
    };
  }
  return { isGood: false, by: 'unproven', words: UNPROVEN };
}

const MS_PER_S = 1000;

/**
 * A cosignature has the witness's time in whole seconds (C2SP tlog-cosignature), which whoever stole a record key can't
 * write.
 */
function seenBefore(note: string, { terms: { keys, quorum } }: Witnessing, moment: number): boolean {
  return verifyCosignatures(note, keys).filter(({ time }) => (time + 1) * MS_PER_S <= moment).length >= quorum;
}
