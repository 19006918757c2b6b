// SPDX-License-Identifier: Apache-2.0
import type { FileState } from '@writ/contract';
import type { StashAnswer, StashQuestion } from './git/dropped-stashes.ts';
import type { HistoryAnswer, HistoryQuestion } from './git/history-changes.ts';
import type { KeptQuestion } from './git/kept-contents.ts';
import type { Turns } from './in-turns.ts';
import type { LaterReader, LaterStarters } from './later-contents.ts';
import type { ContentFacts } from './content-facts.ts';

/**
 * Contents and states around an effect. Implementations MUST answer `compare` within bounds of time and memory of their
 * own and MUST NOT block a shared event loop with it.
 */
export interface EffectContents extends Turns {
  /**
   * Compares what stood at a path with what stands there, or elsewhere, now. Both by SHA-256; sizes are at most
   * `CONTENT_BYTES_MAX`.
   */
  compare(before: string, after: string | null): Promise<ContentFacts>;
  /**
   * What a content starts that the one before it did not (`newStarters`), within the same bounds; null where it could
   * not be read within them. Sizes are at most `LATER_BYTES_MAX`.
   */
  starters(reader: LaterReader, before: string | null, after: string): Promise<LaterStarters | null>;
  /** The bytes of one content. Callers MUST have bounded its size. */
  read(sha256: string): Promise<Uint8Array>;
  /** The bytes of contents, by their SHA-256. Callers MUST have bounded their sizes, together. */
  readMany(sha256s: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Runs what holds `GIT_BYTES_MAX` at once. Implementations MUST bound how many of these are under way, for each
   * tenant and in all. Callers MUST NOT call it within.
   */
  alone<T>(run: () => Promise<T>): Promise<T>;
  /** As `keptContents`, as `compare` does it: null beyond the bounds. */
  keptByGit(question: KeptQuestion): Promise<readonly boolean[] | null>;
  /** As `historyChanges`, as `compare` does it: null beyond the bounds. */
  gitHistory(question: HistoryQuestion): Promise<HistoryAnswer | null>;
  /** As `droppedStashes`, as `compare` does it: null beyond the bounds. */
  droppedStashes(question: StashQuestion): Promise<StashAnswer | null>;
  /** What stood at a path before the effect. */
  before(path: string): Promise<FileState | null>;
  /** The files and links below a directory before the effect, up to so many; none where there was no directory. */
  filesBefore(directory: string, max: number): Promise<FilesBefore>;
  /**
   * How many files and links `counts` among all that stood in the workspace before the effect. `skips` names
   * directories in which none counts.
   */
  count(
    counts: (path: string, sha256: string | null) => boolean,
    skips: (directory: string) => boolean,
  ): Promise<number>;
}

export interface FilesBefore {
  /** paths from the root of the workspace */
  readonly files: readonly { readonly path: string; readonly state: FileState }[];
  /** false where there were more */
  readonly isComplete: boolean;
}

/** A larger content is not compared: it counts as what its size alone tells. */
export const CONTENT_BYTES_MAX = 16 * 1024 * 1024;
