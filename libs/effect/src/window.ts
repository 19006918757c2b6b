// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (the window's start is the measure): a series of effects is judged by the state when it began. Neither
// small steps, nor files that it created, nor marks that it wrote make its loss smaller.
import type { Change, FileState } from '@writ/contract';
import { inTurns, type Turns } from './in-turns.ts';
import { isReferenceFile } from './git/references.ts';
import { withinGit } from './git-paths.ts';
import type { CountedPaths } from './paths.ts';

/** An earlier effect of the same series, committed or about to be. */
export interface PastEffect {
  readonly changes: readonly Change[];
  /** whether persons approved this very effect: the losses that they saw are not counted again */
  readonly isApproved: boolean;
}

/** A path that the series changed. */
interface PathState {
  /** the entry when the window began, or the one from which its content was moved; null where there was none */
  readonly origin: FileState | null;
  readonly now: FileState | null;
}

/** The changes of a series of effects since its window began. */
export class EffectWindow {
  readonly #paths: CountedPaths;
  readonly #pathStates = new Map<string, PathState>();
  /** own directories of repositories whose index or references the series changed */
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

  /** whether the series has changed nothing yet */
  get isEmpty(): boolean {
    return this.#pathStates.size === 0;
  }

  /** Answers whether the series changed a file that existed at the path before it. */
  changed(path: string): boolean {
    return (this.#pathStates.get(path)?.origin ?? null) !== null;
  }

  /** Answers whether the series created the file at the path. */
  created(path: string): boolean {
    const place = this.#pathStates.get(path);
    return place !== undefined && place.origin === null && place.now !== null;
  }

  /**
   * Answers whether a change removes a file that the series created. A file that another session has written there
   * since belongs to that session; one that the series moved there existed elsewhere before.
   */
  removesOwn({ path, before }: Change): boolean {
    const place = this.#pathStates.get(path);
    return place !== undefined && place.origin === null && hasContent(before) && place.now?.sha256 === before.sha256;
  }

  /** The own directories of repositories whose index or references the series ever changed. */
  get repositories(): ReadonlySet<string> {
    return this.#used;
  }

  /** The entry at a path when the window began, where `state` is the present one. */
  atStart(path: string, state: FileState | null): FileState | null {
    return this.#originOf({ path, before: state, after: null });
  }

  /** Paths of counted files that existed before the series and are gone. */
  gone(): ReadonlySet<string> {
    const isGone = (path: string, { origin, now }: PathState): boolean =>
      hasContent(origin) && !hasContent(now) && this.#paths.isCounted(path);
    return new Set([...this.#pathStates].flatMap(([path, place]) => (isGone(path, place) ? [path] : [])));
  }

  /**
   * The series with one more effect, as a single one: from the state when the window began to the state after the
   * effect.
   */
  async with(changes: readonly Change[], turns: Turns): Promise<Change[]> {
    const window = new EffectWindow(this.#paths);
    for (const [path, place] of this.#pathStates) window.#pathStates.set(path, place);
    await window.#add({ changes, isApproved: false }, turns);
    return [...window.#pathStates].flatMap(([path, { origin, now }]) =>
      isSame(origin, now) ? [] : [{ path, before: origin, after: now }],
    );
  }

  async #add({ changes, isApproved }: PastEffect, turns: Turns): Promise<void> {
    for (const { path } of changes) {
      const place = withinGit(path);
      if (place !== null && (place.inner === 'index' || isReferenceFile(place.inner))) this.#used.add(place.root);
    }
    if (isApproved) {
      for (const { path } of changes) this.#pathStates.delete(path);
      return;
    }
    const moves = this.#movesIn(changes);
    const isPopped = changes.some((change) => this.#removesStash(change));
    // Origins are read before any of them is written, since files may swap paths.
    const origins = new Map([...moves].map(([to, from]) => [to, this.#originOf(from)]));
    const left = new Set([...moves.values()].map(({ path }) => path));
    for await (const some of inTurns(changes, turns)) {
      for (const change of some) {
        const { path, after } = change;
        const origin = origins.get(path);
        if (isPopped && hasContent(after) && this.#paths.isCounted(path) && this.#originOf(change) === null)
          this.#pathStates.set(path, { origin: after, now: after });
        else if (origin !== undefined) this.#pathStates.set(path, { origin, now: after });
        else if (!left.has(path)) this.#pathStates.set(path, { origin: this.#originOf(change), now: after });
        else if (after === null || after.kind === 'dir') this.#pathStates.delete(path);
        else this.#pathStates.set(path, { origin: null, now: after });
      }
    }
  }

  /** A file that another session wrote in place of a created one is not the series' own. */
  #originOf({ path, before }: Change): FileState | null {
    const place = this.#pathStates.get(path);
    if (place === undefined) return before;
    return place.origin === null && !isSame(place.now, before) ? before : place.origin;
  }

  /** A stash that existed when the window began is a person's, and so are the files from it. */
  #removesStash(change: Change): boolean {
    const { path, before, after } = change;
    if (!/(?:^|\/)\.git\/(?:logs\/)?refs\/stash$/.test(path) || before === null) return false;
    return this.#originOf(change)?.sha256 === before.sha256 && (after === null || after.size <= before.size);
  }

  /** Contents that moved from a counted path to one that had no entry when the window began, by their new path. */
  #movesIn(changes: readonly Change[]): ReadonlyMap<string, Change> {
    const counted = changes.filter(({ path }) => this.#paths.isCounted(path));
    const left = counted.filter(
      ({ before, after }) => hasContent(before) && before.size > 0 && before.sha256 !== after?.sha256,
    );
    // Of equal contents, the one that existed before the series is followed first.
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
