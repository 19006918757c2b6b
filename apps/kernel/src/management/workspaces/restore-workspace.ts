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
 * Restores a workspace, or a path of it, to an earlier state. The history continues: the result is a new head with its
 * own delta and record, so another restore can undo it.
 */
export class RestoreWorkspace {
  readonly #moves: HeadMoves;
  readonly #tenancy: Tenancy;

  constructor(moves: HeadMoves, tenancy: Tenancy) {
    this.#moves = moves;
    this.#tenancy = tenancy;
  }

  /**
   * @throws Fault `auth.role`, `not_found` for an unknown workspace or state, `conflict` where the head isn't the
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

/** The delta that restores the path and everything below it, with the missing directories above it. */
async function restoringDelta(reader: NodeReader, now: string, then: string, path: WorkspacePath): Promise<Delta> {
  const [current, earlier] = await Promise.all([lookup(reader, now, path), lookup(reader, then, path)]);
  if (current === null && earlier === null)
    throw new Fault('file.not_found', `there is no ${quote(path)} in either state`);
  const above = new Set<string>(earlier === null ? [] : ancestorsOf(path));
  const { changes, ...rest } = await diff(reader, now, then);
  const wanted = changes.filter(
    (change) => isWithin(path, change.path as WorkspacePath) || isNewDirectoryIn(above, change),
  );
  const { max, fault } = LIMITS.deltaChanges;
  if (wanted.length > max) throw new Fault(fault, `one change of a workspace touches at most ${max} paths`);
  return { ...rest, changes: wanted };
}

/**
 * A file in place of an earlier directory is not removed for what is below it. The delta then doesn't apply, and fails
 * with a fault.
 */
const isNewDirectoryIn = (above: ReadonlySet<string>, { path, before, after }: Change): boolean =>
  above.has(path) && before === null && after?.kind === 'dir';
