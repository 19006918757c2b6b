// SPDX-License-Identifier: Apache-2.0
import type { Snapshot } from '@writ/client/web';
import type { WorkspaceSearch } from './workspace-search.ts';

/**
 * The index of the state that is shown; -1 where it isn't among those that were read. A restore makes a state that has
 * the id of an earlier one, so the address may name the place too; without it the newest is meant.
 */
export function placeIn(snapshots: readonly Snapshot[], snapshotId: string, seq: number | undefined): number {
  const isShown = (snapshot: Snapshot): boolean => snapshot.snapshot_id === snapshotId;
  const named = snapshots.findIndex((snapshot) => isShown(snapshot) && snapshot.seq === seq);
  return named === -1 ? snapshots.findIndex(isShown) : named;
}

/** The members of an address that name a state. The head is where none is named, so that it stays the head. */
export const addressOf = ({ snapshot_id, seq }: Snapshot, index: number, head: string): WorkspaceSearch =>
  index === 0 && snapshot_id === head ? { at: undefined, seq: undefined } : { at: snapshot_id, seq };

/** What a restore does to files, by the changes between the head and the state to restore. */
export interface Effect {
  readonly back: readonly string[];
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

interface ChangeOfFile {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export const effectOf = (changes: readonly ChangeOfFile[]): Effect => ({
  back: changes.filter(({ before }) => before === null).map(({ path }) => path),
  changed: changes.filter(({ before, after }) => before !== null && after !== null).map(({ path }) => path),
  gone: changes.filter(({ after }) => after === null).map(({ path }) => path),
});
