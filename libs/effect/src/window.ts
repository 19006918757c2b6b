// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (the window's start is the measure): a series of effects is judged by what stood when it began, so that
// neither small steps, nor files that it made itself, nor marks that it wrote make its loss smaller.
import type { Change, FileState } from '@writ/contract';
import { inTurns, type Turns } from './in-turns.ts';
import { isReferenceFile } from './git/references.ts';
import { withinGit } from './git-paths.ts';
import type { CountedPaths } from './paths.ts';

/** An earlier effect of the same series, committed or about to be. */
export interface PastEffect {
  readonly changes: readonly Change[];
  /** whether persons approved this very effect: what they saw lost is not counted again */
  readonly isApproved: boolean;
}

/** A path that the series changed. */
interface Place {
  /** what stood there when the window began, or where its content came from by moves; null where nothing did */
  readonly origin: FileState | null;
  readonly now: FileState | null;
}

/** What a series of effects changed since its window began. */
export class EffectWindow {
  readonly #paths: CountedPaths;
  readonly #places = new Map<string, Place>();
  /** own directories of repositories, of which the series changed the index or a reference */
  readonly #used = new Set<string>();

  private constructor(paths: CountedPaths) {
    this.#paths = paths;
  }

  /** Folds effects, the earliest first. */
  static async of(past: readonly PastEffect[], paths: CountedPaths, turns: Turns): Promise<EffectWindow> {
    const window = new EffectWindow(paths);
    for (const effect of past) await window.#add(effect, turns);
    return window;
  }

  /** whether the series changed nothing yet */
  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /** Answers whether the series changed a file that stood at the path before it. */
  changed(path: string): boolean {
    return (this.#places.get(path)?.origin ?? null) !== null;
  }

  /** Answers whether the series made the file at the path. */
  created(path: string): boolean {
    const place = this.#places.get(path);
    return place !== undefined && place.origin === null && place.now !== null;
  }

  /**
   * Answers whether a change takes away what the series made itself. A file that somebody else wrote there since is
   * theirs; one that the series moved there stood elsewhere before.
   */
  takesOwn({ path, before }: Change): boolean {
    const place = this.#places.get(path);
    return place !== undefined && place.origin === null && hasContent(before) && place.now?.sha256 === before.sha256;
  }

  /** The own directories of repositories, of which the series ever changed the index or a reference. */
  get repositories(): ReadonlySet<string> {
    return this.#used;
  }

  /** What stood at a path when the window began, where `state` stands there now. */
  atStart(path: string, state: FileState | null): FileState | null {
    return this.#originOf({ path, before: state, after: null });
  }

  /** Paths of counted files that stood before the series and are gone. */
  gone(): ReadonlySet<string> {
    const isGone = (path: string, { origin, now }: Place): boolean =>
      hasContent(origin) && !hasContent(now) && this.#paths.isCounted(path);
    return new Set([...this.#places].flatMap(([path, place]) => (isGone(path, place) ? [path] : [])));
  }

  /** The series with one more effect, as one: from what stood when the window began to what stands after it. */
  async with(changes: readonly Change[], turns: Turns): Promise<Change[]> {
    const window = new EffectWindow(this.#paths);
    for (const [path, place] of this.#places) window.#places.set(path, place);
    await window.#add({ changes, isApproved: false }, turns);
    return [...window.#places].flatMap(([path, { origin, now }]) =>
      isSame(origin, now) ? [] : [{ path, before: origin, after: now }],
    );
  }

  async #add({ changes, isApproved }: PastEffect, turns: Turns): Promise<void> {
    for (const { path } of changes) {
      const place = withinGit(path);
      if (place !== null && (place.inner === 'index' || isReferenceFile(place.inner))) this.#used.add(place.root);
    }
    if (isApproved) {
      for (const { path } of changes) this.#places.delete(path);
      return;
    }
    const moves = this.#movesIn(changes);
    const isPopped = changes.some((change) => this.#takesStash(change));
    // Origins are read before any of them is written: files may change places.
    const origins = new Map([...moves].map(([to, from]) => [to, this.#originOf(from)]));
    const left = new Set([...moves.values()].map(({ path }) => path));
    for await (const some of inTurns(changes, turns)) {
      for (const change of some) {
        const { path, after } = change;
        const origin = origins.get(path);
        if (isPopped && hasContent(after) && this.#paths.isCounted(path) && this.#originOf(change) === null)
          this.#places.set(path, { origin: after, now: after });
        else if (origin !== undefined) this.#places.set(path, { origin, now: after });
        else if (!left.has(path)) this.#places.set(path, { origin: this.#originOf(change), now: after });
        else if (after === null || after.kind === 'dir') this.#places.delete(path);
        else this.#places.set(path, { origin: null, now: after });
      }
    }
  }

  /** What somebody else wrote in the place of an own file is not the series' own. */
  #originOf({ path, before }: Change): FileState | null {
    const place = this.#places.get(path);
    if (place === undefined) return before;
    return place.origin === null && !isSame(place.now, before) ? before : place.origin;
  }

  /** A stash that stood when the window began is a person's: so is what comes out of it. */
  #takesStash(change: Change): boolean {
    const { path, before, after } = change;
    if (!/(?:^|\/)\.git\/(?:logs\/)?refs\/stash$/.test(path) || before === null) return false;
    return this.#originOf(change)?.sha256 === before.sha256 && (after === null || after.size <= before.size);
  }

  /** Contents that left a counted path for one where nothing stood when the window began: by where they are now. */
  #movesIn(changes: readonly Change[]): ReadonlyMap<string, Change> {
    const counted = changes.filter(({ path }) => this.#paths.isCounted(path));
    const left = counted.filter(
      ({ before, after }) => hasContent(before) && before.size > 0 && before.sha256 !== after?.sha256,
    );
    // Of equal contents the one that stood there before the series is followed first.
    const stood = left.filter((change) => this.#originOf(change) !== null);
    const own = left.filter((change) => this.#originOf(change) === null);
    const from = Map.groupBy([...stood, ...own], ({ before }) => before?.sha256 ?? '');
    const moves = new Map<string, Change>();
    for (const change of counted) {
      const { path, before, after } = change;
      if (!hasContent(after) || before?.sha256 === after.sha256 || this.#originOf(change) !== null) continue;
      const source = from.get(after.sha256)?.shift();
      if (source !== undefined) moves.set(path, source);
    }
    return moves;
  }
}

const hasContent = (state: FileState | null): state is FileState & { readonly sha256: string } =>
  state !== null && state.sha256 !== null;
const isSame = (a: FileState | null, b: FileState | null): boolean =>
  a?.sha256 === b?.sha256 && a?.kind === b?.kind && a?.mode === b?.mode;
