// SPDX-License-Identifier: Apache-2.0
import { Failure, reasonOf } from '../failure.ts';
import type { Entries, KeyStore } from './key-store.ts';
import type { KeySet, KeyLookup } from './layout.ts';

/** The set that an operator may move elsewhere once the platform key is in use: the orchestrator keeps its hash. */
const PLATFORM_KEY = 'platform-key';
const CA_KEY = 'ca-key';

/**
 * Makes the key sets that a store lacks, and changes no existing one. A killed run leaves complete sets in their order,
 * and the next run makes the others. Two concurrent runs end with the same keys.
 *
 * @returns the names of the sets that this run made
 * @throws Failure for a state that new keys would make worse; nothing is made then
 */
export async function makeKeys(
  sets: readonly KeySet[],
  store: KeyStore,
  print: (line: string) => void,
): Promise<readonly string[]> {
  const found = await readAll(sets, store);
  verifyNoConflicts(sets, found, store);
  verifyNothingLost(sets, found, store);
  const lookup = lookupIn(found);
  const made: string[] = [];
  for (const set of sets) {
    const before = found.get(set.name) ?? null;
    if (isComplete(set, before)) continue;
    const skipped = reasonToSkip(set, sets, found, store);
    if (skipped !== null) {
      print(skipped);
      continue;
    }
    found.set(set.name, await makeSet(set, before, { store, found, lookup }));
    made.push(set.name);
    print(`${store.nameOf(set)}: ${before === null ? 'made' : 'completed'}`);
  }
  return made;
}

/**
 * INVARIANT (order): sets are read from the last to the first. So a set that another run makes meanwhile is never
 * missing above an existing one.
 */
async function readAll(sets: readonly KeySet[], store: KeyStore): Promise<Map<string, Entries>> {
  const found = new Map<string, Entries>();
  for (const set of sets.toReversed()) {
    const entries = await store.read(set);
    if (entries !== null) found.set(set.name, entries);
  }
  return found;
}

const isComplete = ({ entries }: KeySet, found: Entries | null): boolean =>
  found !== null && entries.every(({ name }) => name in found);

function verifyNoConflicts(sets: readonly KeySet[], found: ReadonlyMap<string, Entries>, store: KeyStore): void {
  for (const set of sets) {
    const conflict = set.conflict?.(found.get(set.name) ?? {}) ?? null;
    if (conflict !== null) throw new Failure(`\`${store.nameOf(set)}\` is of another deployment: ${conflict}`);
  }
}

function verifyNothingLost(sets: readonly KeySet[], found: ReadonlyMap<string, Entries>, store: KeyStore): void {
  const all = sets.flatMap((set) =>
    set.entries.map((entry) => ({ set, entry, there: entry.name in (found.get(set.name) ?? {}) })),
  );
  const missing = all.findIndex(({ entry, there: isPresent }) => !isPresent && entry.lost !== undefined);
  const later = all.slice(missing + 1).find(({ there: isPresent }) => isPresent);
  const [lost, laterEntry] = [all[missing], later];
  if (lost === undefined || laterEntry === undefined) return;
  throw new Failure(
    `\`${lost.entry.name}\` of \`${store.nameOf(lost.set)}\` is missing, and \`${laterEntry.entry.name}\` of ` +
      `\`${store.nameOf(laterEntry.set)}\`, which is made after it, is there. ` +
      `A new one would lose ${lost.entry.lost ?? ''}. Restore it from a backup; if this deployment has no data ` +
      `yet, delete \`${store.nameOf(laterEntry.set)}\` and run this again`,
  );
}

/** The message for a skipped set, or null where the set is to be made. @throws Failure */
function reasonToSkip(
  set: KeySet,
  sets: readonly KeySet[],
  found: ReadonlyMap<string, Entries>,
  store: KeyStore,
): string | null {
  if (set.name === PLATFORM_KEY && found.has('orchestrator'))
    return `${store.nameOf(set)}: skipped, the orchestrator has another platform key`;
  if (set.name !== CA_KEY || !found.has('ca')) return null;
  const unsigned = sets.find(
    ({ name, entries }) => entries.some((entry) => entry.name === 'tls.crt') && !('tls.crt' in (found.get(name) ?? {})),
  );
  if (unsigned === undefined) return `${store.nameOf(set)}: skipped, nothing has to be signed`;
  throw new Failure(
    `\`${store.nameOf(unsigned)}\` needs a certificate, and the key of the authority, \`${store.nameOf(set)}\`, ` +
      'is missing. Restore it from a backup, or delete ' +
      `\`${store.nameOf({ ...set, name: 'ca' })}\` and every set with a \`tls.crt\`, run this again, and start ` +
      'all processes again',
  );
}

interface KeySetContext {
  readonly store: KeyStore;
  readonly found: Map<string, Entries>;
  readonly lookup: KeyLookup;
}

async function makeSet(set: KeySet, before: Entries | null, { store, found, lookup }: KeySetContext): Promise<Entries> {
  const draft = store.draft(set, before);
  for (const { name, make: makeEntry } of set.entries) {
    const text = await draft.entry(name, async () => {
      try {
        return await makeEntry(lookup);
      } catch (error) {
        throw new Failure(`\`${name}\` of \`${store.nameOf(set)}\` can't be made: ${reasonOf(error)}`, error);
      }
    });
    found.set(set.name, { ...found.get(set.name), [name]: text });
  }
  return await draft.commit();
}

function lookupIn(found: ReadonlyMap<string, Entries>): KeyLookup {
  const find = (set: string, entry: string): string | undefined => found.get(set)?.[entry];
  return {
    find,
    get: (set, entry) => {
      const text = find(set, entry);
      if (text === undefined) throw new Error(`it is made of \`${entry}\` of \`${set}\`, which is missing`);
      return text;
    },
  };
}
