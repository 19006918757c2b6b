// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type Caller, type Delta, type TextDiff } from '@writ/contract';
import { diff, isWithin, parsePath, snapshotIdOf, type WorkspacePath } from '@writ/workspace';
import { fileDiffs, type DiffDependencies } from '../../calls/diffs/file-diffs.ts';
import { Snapshots } from './snapshots.ts';

/** The states to compare, and the path below which. */
export interface DiffQuery {
  readonly from: string;
  readonly to?: string | undefined;
  readonly path?: string | undefined;
}

/** Compares two states of a workspace. Faults of all methods: `not_found`, those of a path, `limit.exceeded`. */
export class Compare {
  readonly #snapshots: Snapshots;
  readonly #dependencies: DiffDependencies;

  constructor(snapshots: Snapshots, dependencies: DiffDependencies) {
    this.#snapshots = snapshots;
    this.#dependencies = dependencies;
  }

  /** The delta between the two states. */
  async delta(caller: Caller, workspaceId: string, query: DiffQuery): Promise<Delta> {
    return (await this.#between(caller, workspaceId, query)).delta;
  }

  /** The delta as unified diffs. */
  async text(caller: Caller, workspaceId: string, query: DiffQuery): Promise<TextDiff> {
    const { delta, to } = await this.#between(caller, workspaceId, query);
    return {
      from: delta.base,
      to: snapshotIdOf(to),
      files: await fileDiffs(this.#dependencies, caller.tenant_id, delta.changes),
      files_total: delta.changes.length,
    };
  }

  async #between(caller: Caller, workspaceId: string, query: DiffQuery): Promise<{ delta: Delta; to: string }> {
    const path = parsePath(query.path ?? '');
    const from = await this.#snapshots.open(caller, workspaceId, query.from);
    const { root: to } = await this.#snapshots.open(caller, workspaceId, query.to);
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
