// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type Change, type Delta, type KernelRequest, type WorkspaceView } from '@writ/contract';
import {
  ancestorsOf,
  applyDelta,
  diff,
  isWithin,
  lookup,
  parsePath,
  parseSnapshotId,
  quote,
  type NodeReader,
  type WorkspacePath,
} from '@writ/workspace';
import { requireId, requireRole, type Tenancy } from '../../foundation/tenancy/index.ts';
import type { HeadMoves } from './head-moves.ts';
import { findWorkspace, verifySnapshot } from './workspace-row.ts';

/**
 * Makes a workspace, or what is at a path of it, what it was in an earlier state. The history goes on: the earlier
 * state is a new head, with a delta and a record of its own, so that a restore is itself taken back by another.
 */
export class RestoreWorkspace {
  readonly #moves: HeadMoves;
  readonly #tenancy: Tenancy;

  constructor(moves: HeadMoves, tenancy: Tenancy) {
    this.#moves = moves;
    this.#tenancy = tenancy;
  }

  /**
   * @throws Fault `auth.role`, `not_found` for a workspace or a state of it, `conflict` where the head isn't the
   * expected one, `file.not_found` where the path is in neither state, those of a path, `workspace.conflict` where it
   * leads through what is a file now, `limit.exceeded`, those of `HeadMoves.run`
   */
  async run({
    caller,
    workspace_id,
    snapshot_id,
    path: text,
    if_head,
  }: KernelRequest<'workspace.restore'>): Promise<WorkspaceView> {
    requireRole(caller, 'admin', 'operator');
    requireId('workspace', workspace_id);
    const path = parsePath(text);
    await this.#tenancy.within(caller.tenant_id, async (rows) => {
      await findWorkspace(rows, caller, workspace_id);
      await verifySnapshot(rows, workspace_id, snapshot_id);
    });
    const then = parseSnapshotId(snapshot_id);
    return await this.#moves.run(caller, workspace_id, {
      kind: 'restored',
      next: async (reader, { head_snapshot_id }) => {
        if (if_head !== null && if_head !== head_snapshot_id)
          throw new Fault('conflict', `the head is \`${head_snapshot_id}\` by now`);
        const now = parseSnapshotId(head_snapshot_id);
        const delta = await restoringDelta(reader, now, then, path);
        return { delta, ...(await applyDelta(reader, now, delta)) };
      },
    });
  }
}

/**
 * The delta that makes what is at the path, and below it, what it was; with the directories above it that are missing.
 */
async function restoringDelta(reader: NodeReader, now: string, then: string, path: WorkspacePath): Promise<Delta> {
  const [standing, stood] = await Promise.all([lookup(reader, now, path), lookup(reader, then, path)]);
  if (standing === null && stood === null)
    throw new Fault('file.not_found', `there is no ${quote(path)} in either state`);
  const above = new Set<string>(stood === null ? [] : ancestorsOf(path));
  const { changes, ...rest } = await diff(reader, now, then);
  const wanted = changes.filter(
    (change) => isWithin(path, change.path as WorkspacePath) || isNewDirectoryIn(above, change),
  );
  const { max, fault } = LIMITS.deltaChanges;
  if (wanted.length > max) throw new Fault(fault, `one change of a workspace touches at most ${max} paths`);
  return { ...rest, changes: wanted };
}

/**
 * A file that stands where a directory was is not taken away for what is below it: the delta doesn't apply then, and
 * says so.
 */
const isNewDirectoryIn = (above: ReadonlySet<string>, { path, before, after }: Change): boolean =>
  above.has(path) && before === null && after?.kind === 'dir';
