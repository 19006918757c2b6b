// SPDX-License-Identifier: Apache-2.0
import type { KeySet } from './layout.ts';

/** The entries of a key set, by name. */
export type Entries = Readonly<Record<string, string>>;

/** A key set that is being made. */
export interface Draft {
  /** Resolves with the text of an entry: the existing one, or the result of `make`. */
  entry(name: string, make: () => string | Promise<string>): Promise<string>;
  /** Resolves with the stored entries: this run's, or all of another run's that was first. */
  commit(): Promise<Entries>;
}

/**
 * The store of a deployment's keys. Implementations MUST NOT change or delete an existing entry, also where two runs
 * make the same one at once: the first stays, and both read it.
 */
export abstract class KeyStore {
  /** Resolves with the existing entries, or null where there is no such set. */
  abstract read(set: KeySet): Promise<Entries | null>;
  abstract draft(set: KeySet, found: Entries | null): Draft;
  /** The set's name for people: a Secret's name, a folder's path. */
  abstract nameOf(set: KeySet): string;
}
