// SPDX-License-Identifier: Apache-2.0
import type { Published } from '@writ/nest-kit/keys';
import { Failure, reasonOf } from '../failure.ts';
import type { Entries } from './key-store.ts';
import { PUBLISHED } from './layout.ts';

/** Published keys, as their lists name them. */
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
  /** all that was found */
  readonly ids: PublishedIds;
  /** what stays and no ring holds: of a run that is under way, or of one that ended too early */
  readonly strays: PublishedIds;
}

/**
 * What was found and what is known, together. Of a key that is known, what is known counts. Of any other, what was
 * found stays, unless the key is dead.
 * @throws Failure for what isn't a list of keys
 */
export function mergePublished(entries: Entries, known: Published, dead: PublishedIds = NO_IDS): Merged {
  const found = {
    permit: listIn(entries, PUBLISHED.permit, 'keys', isListed) as Published['permit'],
    record: listIn(entries, PUBLISHED.record, 'keys', isListed) as Published['record'],
    keys: listIn(entries, PUBLISHED.log, 'keys', isText),
    revoked: listIn(entries, PUBLISHED.log, 'revoked', isText),
  };
  const idsOf = (keys: Published['permit']): readonly string[] => keys.map(({ keyid }) => keyid);
  const strayIn = (name: 'permit' | 'record'): Published['permit'] => {
    const ids = new Set([...idsOf(known[name]), ...dead[name]]);
    return found[name].filter(({ keyid }) => !ids.has(keyid));
  };
  const logIds = new Set([...known.log.keys, ...known.log.revoked, ...dead.log]);
  const [permit, record] = [strayIn('permit'), strayIn('record')];
  const logStrayIn = (list: readonly string[]): readonly string[] => list.filter((key) => !logIds.has(key));
  const [keys, revoked] = [logStrayIn(found.keys), logStrayIn(found.revoked)];
  return {
    published: {
      permit: [...known.permit, ...permit],
      record: [...known.record, ...record],
      log: { keys: [...known.log.keys, ...keys], revoked: [...known.log.revoked, ...revoked] },
      checkpoint: known.checkpoint,
    },
    ids: { permit: idsOf(found.permit), record: idsOf(found.record), log: [...found.keys, ...found.revoked] },
    strays: { permit: idsOf(permit), record: idsOf(record), log: [...keys, ...revoked] },
  };
}

/** The members of a list in an entry; none where the entry or the list isn't there. */
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
