// SPDX-License-Identifier: Apache-2.0
import { EffortExceeded, Effort } from './effort.ts';
import { ObjectStore, type ObjectFiles } from './object-store.ts';
import { walkObjects } from './reachability.ts';
import { readReferences, type Files } from './references.ts';
import { readStagedNames } from './staged-names.ts';

/** A file that a change removed or rewrote, and the content that git should have of it. */
export interface TakenFile {
  /** relative to the directory of the repository */
  readonly path: string;
  /** git's name of the former content */
  readonly before: string;
  /** git's name of the content at the path now; null where there is none */
  readonly after: string | null;
}

/** A repository after an effect, and the files that the effect removed or rewrote. */
export interface KeptQuestion {
  readonly index: Uint8Array;
  /** references and logs */
  readonly references: Files;
  readonly objects: ObjectFiles;
  readonly taken: readonly TakenFile[];
  /** when the effect is examined, in milliseconds */
  readonly now: number;
}

/**
 * Answers for each file whether git made the change and keeps the former content. The path must agree with the index,
 * and the former content must be staged, or in a commit that a reference, a log or a stash names. An unreachable
 * content is one that git itself would collect.
 */
export function keptContents({ index, references, objects, taken, now }: KeptQuestion): readonly boolean[] {
  const effort = new Effort();
  const verified = new Set<string>();
  let agreed: readonly (string | null)[] = taken.map(() => null);
  try {
    const staged = new Staged(taken);
    if (!readStagedNames(index, effort, (path, name) => staged.note(path, name))) return taken.map(() => false);
    agreed = taken.map((file) => (staged.agrees(file) ? file.before : null));
    const store = new ObjectStore(objects, effort);
    const found = (name: string): void => {
      if (store.read(name) !== null) verified.add(name);
    };
    for (const name of staged.wanted) found(name);
    const left = new Set(agreed.filter((name) => name !== null && !staged.wanted.has(name)));
    if (left.size > 0) search(store, effort, { references, now, left, found });
  } catch (error) {
    // Contents that were found until then are kept, and no others.
    if (!(error instanceof EffortExceeded)) throw error;
  }
  return agreed.map((name) => name !== null && verified.has(name));
}

/** The entries of an index for the files. */
class Staged {
  readonly #paths: ReadonlySet<string>;
  readonly #before: ReadonlySet<string>;
  readonly #names = new Map<string, string>();
  /** former contents that are staged now, at any path */
  readonly wanted = new Set<string>();

  constructor(taken: readonly TakenFile[]) {
    this.#paths = new Set(taken.map(({ path }) => path));
    this.#before = new Set(taken.map(({ before }) => before));
  }

  note(path: string, name: string): void {
    if (this.#paths.has(path)) this.#names.set(path, name);
    if (this.#before.has(name)) this.wanted.add(name);
  }

  agrees({ path, after }: TakenFile): boolean {
    return (this.#names.get(path) ?? null) === after;
  }
}

interface Search {
  readonly references: Files;
  readonly now: number;
  readonly left: Set<string | null>;
  readonly found: (name: string) => void;
}

/** Heads and their recent values come first: a checkout keeps the former content there. */
function search(store: ObjectStore, effort: Effort, { references, now, left, found }: Search): void {
  const { tips, logged, stashed } = readReferences(references, now, effort);
  walkObjects(store, [...logged.slice(0, 2), ...stashed, ...tips.values(), ...logged], effort, {
    withTrees: true,
    blob: (name) => {
      if (left.delete(name)) found(name);
      return left.size === 0;
    },
  });
}
