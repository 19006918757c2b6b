// SPDX-License-Identifier: Apache-2.0
import {
  judgeByLogPosition,
  parseRevocation,
  revokedAtLeaf,
  type KeyHistory,
  type KeySet,
  type LoggedRevocation,
  type VerifiedLeaf,
} from '@writ/receipt';
import { CliError } from '../cli-error.ts';

/** How many records one key signed in a log, as far as it was read. */
export interface KeyTally {
  readonly keyid: string;
  readonly records: number;
  readonly lastLeaf: number;
  /** the latest time in one of its records, in milliseconds, and the first leaf with that time */
  readonly latestAt: number;
  readonly latestLeaf: number;
}

/**
 * The usage of keys in the part of a log that was read. It is kept with the state, so that a key that is revoked later
 * is judged by everything it signed.
 */
export interface KeyState {
  readonly tallies: readonly KeyTally[];
  readonly revocations: KeyHistory;
}

export const NO_KEYS: KeyState = { tallies: [], revocations: [] };

/**
 * How many records are signed by keys that were revoked later, and how many of them precede the revocation in the log.
 */
export interface RevokedKeyCounts {
  readonly records: number;
  readonly beforeRevocation: number;
}

/** Counts the signers of a log's leaves in order, and judges records of revoked keys by their position. */
export class SigningTally {
  readonly #origin: string;
  readonly #keys: KeySet;
  readonly #tallies: Map<string, KeyTally>;
  readonly #revocations: LoggedRevocation[];

  constructor(origin: string, keys: KeySet, { tallies, revocations }: KeyState) {
    this.#origin = origin;
    this.#keys = keys;
    this.#tallies = new Map(tallies.map((tally) => [tally.keyid, tally]));
    this.#revocations = [...revocations];
  }

  get state(): KeyState {
    return { tallies: [...this.#tallies.values()], revocations: this.#revocations };
  }

  /** Adds the next leaf. @throws CliError `verify.key_validity` where the signing key's revocation precedes the leaf */
  add({ record, revokedAt }: VerifiedLeaf, leafIndex: number): void {
    const { kernel_key_id: keyid, recorded_at } = record;
    if (revokedAt !== null && this.#revocationLeaf(keyid) !== undefined) throw this.#revokedError(keyid, leafIndex);
    const before = this.#tallies.get(keyid);
    const latest =
      before !== undefined && before.latestAt >= recorded_at
        ? before
        : { latestAt: recorded_at, latestLeaf: leafIndex };
    this.#tallies.set(keyid, {
      keyid,
      records: (before?.records ?? 0) + 1,
      lastLeaf: leafIndex,
      latestAt: latest.latestAt,
      latestLeaf: latest.latestLeaf,
    });
    const revocation = parseRevocation(record, this.#origin, leafIndex);
    if (revocation?.purpose === 'record') this.#revocations.push(revocation);
  }

  /**
   * Judges everything that was read. If the log doesn't record a key's revocation, only the time in a record shows that
   * the record is older.
   *
   * @throws CliError `verify.key_validity` for a record after the revocation, or with a time after it
   */
  conclude(): RevokedKeyCounts {
    let [records, beforeRevocation] = [0, 0];
    for (const tally of this.#tallies.values()) {
      const revokedAt = this.#keys.recordKeys.get(tally.keyid)?.revokedAt ?? null;
      if (revokedAt === null) continue;
      const end = this.#revocationLeaf(tally.keyid);
      if (end !== undefined && tally.lastLeaf > end) throw this.#revokedError(tally.keyid, tally.lastLeaf);
      if (end === undefined && tally.latestAt >= revokedAt)
        throw keyValidityError(tally.latestLeaf, 'the key was revoked before the record was made');
      records += tally.records;
      beforeRevocation += end === undefined ? 0 : tally.records;
    }
    return { records, beforeRevocation };
  }

  #revocationLeaf(keyid: string): number | undefined {
    return revokedAtLeaf(this.#revocations, { origin: this.#origin, keyid }, this.#keys);
  }

  #revokedError(keyid: string, leafIndex: number): CliError {
    return keyValidityError(
      leafIndex,
      judgeByLogPosition({ origin: this.#origin, keyid, leafIndex, note: null }, this.#revocations, this.#keys, null)
        .words,
    );
  }
}

const keyValidityError = (leafIndex: number, words: string): CliError =>
  new CliError('verify.key_validity', `record ${String(leafIndex)}: ${words}`);
