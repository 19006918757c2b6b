// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (what was reachable stays): every object that references, heads and logs reached before an effect exists
// after it, and is still reachable. Logs count for as long as git itself would keep the objects that they name.
import { createHmac } from 'node:crypto';
import { seededSample } from '../keyed-sample.ts';
import { EffortExceeded, Effort } from './effort.ts';
import { ObjectStore, type ObjectFiles } from './object-store.ts';
import { PackIndex } from './pack-index.ts';
import { walkObjects } from './reachability.ts';
import { readReferences, type Files, type References } from './references.ts';
import { isIndex, readStagedNames } from './staged-names.ts';

/** The size of the sample of moved objects that are read and hashed at their new location. */
const SAMPLE_OBJECTS = 1_000;
/** A smaller sample proves too little. */
const SAMPLE_OBJECTS_MIN = 64;

/** The changes of an effect in a repository's own directory. */
export interface HistoryQuestion {
  /** references, logs and the index that changed, before and after */
  readonly before: Files;
  readonly after: Files;
  /** the unchanged references and logs, and the index; null where they were not collected */
  readonly rest: Files | null;
  /** objects that were removed from their former location: loose ones by their names, and the indexes of packs */
  readonly gone: { readonly loose: readonly string[]; readonly indexes: readonly Uint8Array[] };
  /** the objects after the effect; null where they were not collected */
  readonly objects: ObjectFiles | null;
  /** when the effect is examined, in milliseconds */
  readonly now: number;
  /** selects the objects to verify where there are many */
  readonly key: Uint8Array;
}

export interface HistoryAnswer {
  /** what the effect removes, as phrases that begin with a verb; none where it removes nothing */
  readonly losses: readonly string[];
  /** what must be collected for an answer; null where this is the answer */
  readonly wants: 'rest' | 'objects' | null;
}

const nothing: HistoryAnswer = { losses: [], wants: null };

/**
 * Finds what an effect removes from a repository's history. The bytes are attacker-controlled: an object that can't be
 * verified within the effort counts as removed.
 */
export function historyChanges(question: HistoryQuestion): HistoryAnswer {
  try {
    return new HistoryChanges(question).answer();
  } catch (error) {
    if (!(error instanceof EffortExceeded)) throw error;
    return { losses: ["changes more of git's objects than can be verified"], wants: null };
  }
}

class HistoryChanges {
  readonly #question: HistoryQuestion;
  readonly #effort = new Effort();
  readonly #before: References;
  readonly #after: References;
  readonly #goneLoose: ReadonlySet<string>;
  readonly #goneIndexes: readonly PackIndex[];

  constructor(question: HistoryQuestion) {
    this.#question = question;
    const { before, after, rest, gone, now } = question;
    this.#before = readReferences(new Map([...(rest ?? []), ...before]), now, this.#effort);
    this.#after = readReferences(new Map([...(rest ?? []), ...after]), now, this.#effort);
    this.#goneLoose = new Set(gone.loose);
    this.#goneIndexes = gone.indexes.flatMap((bytes) => PackIndex.read(bytes, this.#effort) ?? []);
  }

  answer(): HistoryAnswer {
    const { rest, objects } = this.#question;
    const broken = this.#broken();
    if (broken.length > 0) return { losses: broken, wants: null };
    const unnamed = this.#unnamed();
    const areGone = this.#goneLoose.size > 0 || this.#goneIndexes.length > 0;
    if (unnamed.length === 0 && !areGone) return nothing;
    if (rest === null) return { losses: [], wants: 'rest' };
    if (objects === null) return { losses: [], wants: 'objects' };
    const store = new ObjectStore(objects, this.#effort);
    const lost = this.#unreachable(store, unnamed);
    return {
      losses: [...lostCommits(lost.length), ...(areGone ? this.#objectLosses(store, new Set(lost)) : [])],
      wants: null,
    };
  }

  /** Files that git could read before, and can't now. */
  #broken(): string[] {
    const { before, after } = this.#question;
    const unreadable = [...this.#after.unreadable].filter(
      (inner) =>
        after.has(inner) &&
        (this.#before.tips.has(inner) || (before.has(inner) && !this.#before.unreadable.has(inner))),
    );
    const [old, fresh] = [before.get('index'), after.get('index')];
    const index = fresh !== undefined && !isIndex(fresh) && (old === undefined || isIndex(old)) ? ['index'] : [];
    return [...unreadable, ...index].map((inner) => `writes to \`${inner}\` what git can't read`);
  }

  /**
   * Objects that had a name of their own before and have none now. A stash is no name: its series may drop it freely.
   */
  #unnamed(): string[] {
    const now = new Set([...this.#after.tips.values(), ...this.#after.logged]);
    return [...new Set([...this.#before.tips.values(), ...this.#before.logged])].filter((id) => !now.has(id));
  }

  /**
   * Those of the names that no reference and no log reaches any more, other than a stash. An object that did not exist
   * before the effect is no loss.
   */
  #unreachable(store: ObjectStore, unnamed: readonly string[]): string[] {
    const left = new Set(
      unnamed.map((name) => this.#peeled(store, name)).filter((name) => this.#wasThere(store, name)),
    );
    if (left.size === 0) return [];
    const { tips, logged } = this.#after;
    walkObjects(store, [...tips.values(), ...logged], this.#effort, {
      withTrees: false,
      passed: (name) => {
        left.delete(name);
        return left.size === 0;
      },
    });
    return [...left];
  }

  /** The commit of a tag: a tag may be deleted. */
  #peeled(store: ObjectStore, name: string): string {
    const object = store.lists(name) ? store.read(name) : null;
    const tagged =
      object?.type === 'tag' ? /^object ([0-9a-f]{40})\n/.exec(object.bytes.toString('latin1', 0, 64))?.[1] : undefined;
    return tagged ?? name;
  }

  #wasThere(store: ObjectStore, name: string): boolean {
    return (
      this.#goneLoose.has(name) || this.#goneIndexes.some((index) => index.offsetOf(name) !== null) || store.lists(name)
    );
  }

  #objectLosses(store: ObjectStore, lost: ReadonlySet<string>): string[] {
    const moved: string[] = [];
    let isAnyMissing = false;
    for (const name of this.#goneNames()) {
      if (store.lists(name)) moved.push(name);
      else isAnyMissing = true;
    }
    // Where an object is nowhere, everything that the history reaches is looked up; else the moved objects are verified
    // at their location.
    const missing = isAnyMissing ? this.#missing(store, lost) : 0;
    if (missing > 0) return [`takes ${missing} objects of git that its history needs`];
    const unverified = this.#unverified(store, moved);
    return unverified > 0 ? [`replaces objects of git by what they are not`] : [];
  }

  *#goneNames(): Generator<string> {
    yield* this.#goneLoose;
    for (const index of this.#goneIndexes) for (let at = 0; at < index.count; at += 1) yield index.nameAt(at);
  }

  /** How many objects are missing now, of those that are staged or that references and logs reached before. */
  #missing(store: ObjectStore, lost: ReadonlySet<string>): number {
    const stays = new Set(this.#after.stashed);
    const from = [
      ...this.#before.tips.values(),
      ...this.#before.logged,
      ...this.#before.stashed.filter((id) => stays.has(id)),
    ];
    let missing = 0;
    const note = (name: string): void => {
      if (this.#wasThere(store, name)) missing += 1;
    };
    const index = this.#question.after.get('index') ?? this.#question.rest?.get('index');
    if (index !== undefined)
      readStagedNames(index, this.#effort, (_, name) => {
        if (!store.lists(name)) note(name);
      });
    walkObjects(
      store,
      from.filter((name) => !lost.has(name)),
      this.#effort,
      {
        withTrees: true,
        missing: note,
        blob: (name) => {
          if (!store.lists(name)) note(name);
          return false;
        },
      },
    );
    return missing;
  }

  /** How many objects of a keyed sample do not match their name. */
  #unverified(store: ObjectStore, moved: readonly string[]): number {
    let [verified, wrong] = [0, 0];
    try {
      for (const name of this.#sampled(moved)) {
        if (store.read(name) === null) wrong += 1;
        else verified += 1;
      }
    } catch (error) {
      if (!(error instanceof EffortExceeded) || verified < SAMPLE_OBJECTS_MIN) throw error;
    }
    return wrong;
  }

  /** Names that the author of the effect can't predict. */
  #sampled(names: readonly string[]): readonly string[] {
    if (names.length <= SAMPLE_OBJECTS) return names;
    this.#effort.spendSteps(names.length);
    return seededSample(
      createHmac('sha256', this.#question.key).update(names.join('')).digest(),
      names,
      SAMPLE_OBJECTS,
    );
  }
}

const lostCommits = (count: number): string[] =>
  count === 0 ? [] : [`leaves ${count === 1 ? 'a commit' : `${count} commits`} without a name`];
