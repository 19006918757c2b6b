// SPDX-License-Identifier: Apache-2.0
//
// Judges records of a revoked key by their position in the log. INVARIANT (no thief's word): no time that the
// holder of a record key can write decides anything; only the order of leaves under trusted checkpoints,
// and the times of witnesses do. INVARIANT (who is trusted says whom): the verifier's own keys determine which keys
// are revoked. A log only adds the position, and the revocation of a checkpoint key. Otherwise a thief who logged
// records of revocation first could revoke the keys that are to revoke his.
import type { AuditRecord } from '@writ/contract';
import { verifyCosignatures } from '@writ/signing';
import { keyEventOf } from './key-record.ts';
import type { KeyEvent } from './key-record.ts';
import type { KeySet } from './key-set.ts';
import type { Witnessing } from './trust-policy.ts';

/** A revocation of a key in a log, with its position. */
export interface LoggedRevocation {
  readonly purpose: KeyEvent['purpose'];
  /** of the log's checkpoints: `<deployment>/<log_id>` */
  readonly origin: string;
  readonly keyid: string;
  readonly leafIndex: number;
  /** the record key that signed this statement, whatever the purpose of the revoked key */
  readonly signedBy: string;
  /** milliseconds since the epoch; signatures of the key from then on are not trusted */
  readonly from: number;
}

/** Revocations that are proved to be in logs, in any order. */
export type KeyHistory = readonly LoggedRevocation[];

/** A record by a revoked key, and its proved position in the log. */
export interface LoggedRecord {
  readonly origin: string;
  readonly keyid: string;
  readonly leafIndex: number;
  /** The checkpoint of its proof, verified under a key of its log; null if the whole log was read. */
  readonly note: string | null;
}

/** The judgement on such a record, with a text for people. */
export interface Judgement {
  readonly isGood: boolean;
  /** `unproven` if nothing shows whether the record is older than the revocation */
  readonly by: 'place' | 'witnesses' | 'unproven';
  readonly words: string;
}

/**
 * The revocation of a key that a record states; null if it states none. Callers MUST have verified the record's
 * signature, and that it is that leaf of that log.
 */
export function parseRevocation(record: AuditRecord, origin: string, leafIndex: number): LoggedRevocation | null {
  const keyEvent = keyEventOf(record);
  if (keyEvent?.event !== 'revoked' || keyEvent.keyid === record.kernel_key_id) return null;
  return {
    purpose: keyEvent.purpose,
    origin,
    keyid: keyEvent.keyid,
    leafIndex,
    signedBy: record.kernel_key_id,
    from: keyEvent.from,
  };
}

/**
 * The first leaf of a log that states the revocation of a record key; undefined if none does. Statements of a key that
 * was itself revoked don't count: another key logs such a revocation again.
 */
export function revokedAtLeaf(
  history: KeyHistory,
  { origin, keyid }: Pick<LoggedRecord, 'origin' | 'keyid'>,
  keys: KeySet,
): number | undefined {
  const leaves = history.filter(
    (one) =>
      one.purpose === 'record' &&
      one.origin === origin &&
      one.keyid === keyid &&
      one.signedBy !== keyid &&
      isTrusted(one, keys),
  );
  return leaves.length === 0 ? undefined : Math.min(...leaves.map(({ leafIndex }) => leafIndex));
}

const isTrusted = ({ signedBy }: LoggedRevocation, { recordKeys }: KeySet): boolean =>
  recordKeys.get(signedBy)?.revokedAt === null;

/**
 * Judges a checkpoint by what logs state about the key that signed it; null if it is valid. A checkpoint has no
 * position in a log: its signer chooses the size of its tree, so no checkpoint is valid because it is old. INVARIANT
 * (only less): a log never adds trust in a key, so its statements here can only invalidate a checkpoint.
 */
export function judgeCheckpoint(
  note: string,
  keyid: string,
  history: KeyHistory,
  keys: KeySet,
  witnessing: Witnessing | null,
): string | null {
  const revocations = history.filter(
    (one) => one.purpose === 'checkpoint' && one.keyid === keyid && isTrusted(one, keys),
  );
  const [first] = revocations.sort((a, b) => a.from - b.from);
  if (first === undefined || (witnessing !== null && isWitnessedBefore(note, witnessing, first.from))) return null;
  return `the log says that the key of this checkpoint was revoked from ${new Date(first.from).toISOString()} on (leaf ${String(first.leafIndex)}): fetch the receipt anew, under a key that is not`;
}

/** The text for a record without a proved position. */
export const UNPROVEN =
  "the key was revoked, and nothing here shows that the record is older; a history of the log's keys may (`writ log keys`)";

/** Judges a record by a key that `keys` marks as revoked. */
export function judgeByLogPosition(
  placed: LoggedRecord,
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
  if (placed.note !== null && witnessing !== null && isWitnessedBefore(placed.note, witnessing, revokedAt)) {
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
 * Answers whether a quorum saw the checkpoint before. A cosignature has the witness's time in whole seconds (C2SP
 * tlog-cosignature), which the thief of a record key can't forge.
 */
function isWitnessedBefore(note: string, { terms: { keys, quorum } }: Witnessing, moment: number): boolean {
  return verifyCosignatures(note, keys).filter(({ time }) => (time + 1) * MS_PER_S <= moment).length >= quorum;
}
