// SPDX-License-Identifier: Apache-2.0
import type { FileState } from '@writ/contract';
import type { StashAnswer, StashQuestion } from './git/dropped-stashes.ts';
import type { HistoryAnswer, HistoryQuestion } from './git/history-changes.ts';
import type { KeptQuestion } from './git/kept-contents.ts';
import type { Turns } from './in-turns.ts';
import type { LaterReader, LaterStarters } from './later-contents.ts';
import type { ContentFacts } from './content-facts.ts';

/**
 * Contents and states around an effect. Implementations MUST bound the time and memory of `compare`, and MUST NOT block
 * a shared event loop with it.
 */
export interface EffectContents extends Turns {
  /**
   * Compares the former content at a path with the current one there or elsewhere. Both by SHA-256; sizes are at most
   * `CONTENT_BYTES_MAX`.
   */
  compare(before: string, after: string | null): Promise<ContentFacts>;
  /**
   * The starters in a content that the former one did not have (`newStarters`), within the same bounds; null beyond
   * them. Sizes are at most `LATER_BYTES_MAX`.
   */
  starters(reader: LaterReader, before: string | null, after: string): Promise<LaterStarters | null>;
  /** The bytes of one content. Callers MUST have bounded its size. */
  read(sha256: string): Promise<Uint8Array>;
  /** The bytes of contents, by their SHA-256. Callers MUST have bounded their total size. */
  readMany(sha256s: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Runs a task that holds up to `GIT_BYTES_MAX`. Implementations MUST bound the concurrent tasks, for each tenant and
   * in total. Callers MUST NOT nest calls.
   */
  alone<T>(run: () => Promise<T>): Promise<T>;
  /** `keptContents`, within bounds as for `compare`; null beyond them. */
  keptByGit(question: KeptQuestion): Promise<readonly boolean[] | null>;
  /** `historyChanges`, within bounds as for `compare`; null beyond them. */
  gitHistory(question: HistoryQuestion): Promise<HistoryAnswer | null>;
  /** `droppedStashes`, within bounds as for `compare`; null beyond them. */
  droppedStashes(question: StashQuestion): Promise<StashAnswer | null>;
  /** The entry at a path before the effect. */
  before(path: string): Promise<FileState | null>;
  /** The files and links below a directory before the effect, up to a maximum; none where there was no directory. */
  filesBefore(directory: string, max: number): Promise<FilesBefore>;
  /**
   * The number of files and links that `counts` accepts, of all in the workspace before the effect. `skips` identifies
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

/** A larger content is not compared: only its size is used. */
export const CONTENT_BYTES_MAX = 16 * 1024 * 1024;
