// SPDX-License-Identifier: Apache-2.0
import {
  judgeByPlace,
  revocationIn,
  revokedAtLeaf,
  type KeyHistory,
  type KeySet,
  type LoggedRevocation,
  type VerifiedLeaf,
} from '@writ/receipt';
import { CliError } from '../cli-error.ts';

/** What one key signed in a log, as far as it was read. */
export interface KeyTally {
  readonly keyid: string;
  readonly records: number;
  readonly lastLeaf: number;
  /** the latest time that one of its records bears, in milliseconds, and the first leaf that bears it */
  readonly latestAt: number;
  readonly latestLeaf: number;
}

/**
 * What a reading knows of the keys of a log. Kept with its state, so that a key which is revoked later is judged by all
 * that it signed.
 */
export interface KeyState {
  readonly tallies: readonly KeyTally[];
  readonly revocations: KeyHistory;
}

export const NO_KEYS: KeyState = { tallies: [], revocations: [] };

/** How many records are by keys that were revoked since, and how many of them stand before the revocation. */
export interface ByRevoked {
  readonly records: number;
  readonly beforeRevocation: number;
}

/** Tallies who signed the leaves of a log in their order, and judges by place what revoked keys signed. */
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

  /**
   * Takes in the next leaf.
   * @throws CliError `verify.key_validity` for one by a key whose revocation stands before it
   */
  add({ record, revokedAt }: VerifiedLeaf, leafIndex: number): void {
    const { kernel_key_id: keyid, recorded_at } = record;
    if (revokedAt !== null && this.#endOf(keyid) !== undefined) throw this.#after(keyid, leafIndex);
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
    const said = revocationIn(record, this.#origin, leafIndex);
    if (said?.purpose === 'record') this.#revocations.push(said);
  }

  /**
   * Judges what was read, all of it. A record whose key's revocation the log doesn't state is older by its own word
   * alone.
   *
   * @throws CliError `verify.key_validity` for a record behind the revocation, and for one that names a time after it
   */
  conclude(): ByRevoked {
    let [records, beforeRevocation] = [0, 0];
    for (const tally of this.#tallies.values()) {
      const revokedAt = this.#keys.recordKeys.get(tally.keyid)?.revokedAt ?? null;
      if (revokedAt === null) continue;
      const end = this.#endOf(tally.keyid);
      if (end !== undefined && tally.lastLeaf > end) throw this.#after(tally.keyid, tally.lastLeaf);
      if (end === undefined && tally.latestAt >= revokedAt)
        throw refused(tally.latestLeaf, 'the key was revoked before the record was made');
      records += tally.records;
      beforeRevocation += end === undefined ? 0 : tally.records;
    }
    return { records, beforeRevocation };
  }

  #endOf(keyid: string): number | undefined {
    return revokedAtLeaf(this.#revocations, { origin: this.#origin, keyid }, this.#keys);
  }

  #after(keyid: string, leafIndex: number): CliError {
    return refused(
      leafIndex,
      judgeByPlace({ origin: this.#origin, keyid, leafIndex, note: null }, this.#revocations, this.#keys, null).words,
    );
  }
}

const refused = (leafIndex: number, words: string): CliError =>
  new CliError('verify.key_validity', `record ${String(leafIndex)}: ${words}`);
