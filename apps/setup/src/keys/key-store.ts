// SPDX-License-Identifier: Apache-2.0
import type { KeySet } from './layout.ts';

/** The entries of a key set, by name. */
export type Entries = Readonly<Record<string, string>>;

/** A key set that is being made. */
export interface Draft {
  /** Resolves with the text of an entry: the one that is there already, or what `make` makes. */
  entry(name: string, make: () => string | Promise<string>): Promise<string>;
  /** Resolves with what is kept once this resolves: ours, or all of another's that was first. */
  commit(): Promise<Entries>;
}

/**
 * Where the keys of a deployment are kept. Implementations MUST NOT change or delete an entry that is there, also where
 * two runs make the same one at once: the first stays, and both read it.
 */
export abstract class KeyStore {
  /** Resolves with the entries that are there, or null where there is no such set. */
  abstract read(set: KeySet): Promise<Entries | null>;
  abstract draft(set: KeySet, found: Entries | null): Draft;
  /** What a person calls the set: a Secret's name, a folder's path. */
  abstract nameOf(set: KeySet): string;
}
