// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type Caller, type Delta, type TextDiff } from '@writ/contract';
import { diff, isWithin, parsePath, snapshotIdOf, type WorkspacePath } from '@writ/workspace';
import { fileDiffs, type DiffsWith } from '../../calls/diffs/file-diffs.ts';
import { Snapshots } from './snapshots.ts';

/** Which states are compared, and what of them. */
export interface DiffWish {
  readonly from: string;
  readonly to?: string | undefined;
  readonly path?: string | undefined;
}

/** Compares two states of a workspace. Faults of all: `not_found`, those of a path, `limit.exceeded`. */
export class Compare {
  readonly #snapshots: Snapshots;
  readonly #with: DiffsWith;

  constructor(snapshots: Snapshots, parts: DiffsWith) {
    this.#snapshots = snapshots;
    this.#with = parts;
  }

  /** The delta that leads from the one to the other. */
  async delta(caller: Caller, workspaceId: string, wish: DiffWish): Promise<Delta> {
    return (await this.#between(caller, workspaceId, wish)).delta;
  }

  /** The same as unified diffs. */
  async text(caller: Caller, workspaceId: string, wish: DiffWish): Promise<TextDiff> {
    const { delta, to } = await this.#between(caller, workspaceId, wish);
    return {
      from: delta.base,
      to: snapshotIdOf(to),
      files: await fileDiffs(this.#with, caller.tenant_id, delta.changes),
      files_total: delta.changes.length,
    };
  }

  async #between(caller: Caller, workspaceId: string, wish: DiffWish): Promise<{ delta: Delta; to: string }> {
    const path = parsePath(wish.path ?? '');
    const from = await this.#snapshots.open(caller, workspaceId, wish.from);
    const { root: to } = await this.#snapshots.open(caller, workspaceId, wish.to);
    const { changes, ...rest } = await diff(from.reader, from.root, to);
    const delta = { ...rest, changes: changes.filter((change) => isWithin(path, change.path as WorkspacePath)) };
    const { max, fault } = LIMITS.deltaChanges;
    if (delta.changes.length > max)
      throw new Fault(
        fault,
        `the snapshots differ in ${delta.changes.length} places, more than the ${max} of one answer`,
      );
    return { delta, to };
  }
}
