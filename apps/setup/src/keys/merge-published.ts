// SPDX-License-Identifier: Apache-2.0
import type { Published } from '@writ/nest-kit/keys';
import { Failure, reasonOf } from '../failure.ts';
import type { Entries } from './key-store.ts';
import { PUBLISHED } from './layout.ts';

/** The ids of published keys, by list. */
export interface PublishedIds {
  readonly permit: readonly string[];
  readonly record: readonly string[];
  readonly log: readonly string[];
}

export const NO_IDS: PublishedIds = { permit: [], record: [], log: [] };

type Listed = { readonly keyid: string };
const isListed = (key: unknown): key is Listed =>
  typeof key === 'object' && key !== null && 'keyid' in key && typeof key.keyid === 'string';
const isText = (key: unknown): key is string => typeof key === 'string';

export interface Merged {
  readonly published: Published;
  /** the ids of all keys that were found */
  readonly ids: PublishedIds;
  /** kept keys that no ring has: of a running change, or of one that died */
  readonly strays: PublishedIds;
}

/**
 * Merges the found keys with the current ones of the rings. For a key of a ring, the ring's state counts. Any other
 * found key stays, unless it is to be removed.
 * @throws Failure for an entry that isn't a list of keys
 */
export function mergePublished(entries: Entries, current: Published, removed: PublishedIds = NO_IDS): Merged {
  const found = {
    permit: listIn(entries, PUBLISHED.permit, 'keys', isListed) as Published['permit'],
    record: listIn(entries, PUBLISHED.record, 'keys', isListed) as Published['record'],
    keys: listIn(entries, PUBLISHED.log, 'keys', isText),
    revoked: listIn(entries, PUBLISHED.log, 'revoked', isText),
  };
  const idsOf = (keys: Published['permit']): readonly string[] => keys.map(({ keyid }) => keyid);
  const strayIn = (name: 'permit' | 'record'): Published['permit'] => {
    const ids = new Set([...idsOf(current[name]), ...removed[name]]);
    return found[name].filter(({ keyid }) => !ids.has(keyid));
  };
  const logIds = new Set([...current.log.keys, ...current.log.revoked, ...removed.log]);
  const [permit, record] = [strayIn('permit'), strayIn('record')];
  const logStrayIn = (list: readonly string[]): readonly string[] => list.filter((key) => !logIds.has(key));
  const [keys, revoked] = [logStrayIn(found.keys), logStrayIn(found.revoked)];
  return {
    published: {
      permit: [...current.permit, ...permit],
      record: [...current.record, ...record],
      log: { keys: [...current.log.keys, ...keys], revoked: [...current.log.revoked, ...revoked] },
      checkpoint: current.checkpoint,
    },
    ids: { permit: idsOf(found.permit), record: idsOf(found.record), log: [...found.keys, ...found.revoked] },
    strays: { permit: idsOf(permit), record: idsOf(record), log: [...keys, ...revoked] },
  };
}

/** The members of a list in an entry; empty where the entry or the list doesn't exist. */
function listIn<T>(
  entries: Entries,
  entry: string,
  member: string,
  isMember: (key: unknown) => key is T,
): readonly T[] {
  const text = entries[entry];
  if (text === undefined) return [];
  try {
    const list = (JSON.parse(text) as Readonly<Record<string, unknown>>)[member] ?? [];
    if (Array.isArray(list) && list.every(isMember)) return list;
    throw new Error(`\`${member}\` is no list of keys`);
  } catch (error) {
    throw new Failure(
      `the entry \`${entry}\` of the public keys can't be read (${reasonOf(error)}): ` +
        'remove that entry while nobody else changes keys, and run this again',
      error,
    );
  }
}
