// SPDX-License-Identifier: Apache-2.0
import type { Caller, WorkspaceView } from '@writ/contract';
import { requireFound, plainRow, type Rows } from '../../foundation/tenancy/index.ts';

export interface StoredWorkspace extends WorkspaceView {
  readonly tenant_id: string;
  /** the number of earlier heads */
  readonly head_seq: number;
}

/** @throws Fault `not_found` */
export async function findWorkspace(rows: Rows, { tenant_id }: Caller, workspace_id: string): Promise<StoredWorkspace> {
  return plainRow(requireFound(await rows.workspace.findFirst({ where: { workspace_id, tenant_id } })));
}

export function viewOfWorkspace({
  workspace_id,
  name,
  head_snapshot_id,
  created_at,
  updated_at,
}: StoredWorkspace): WorkspaceView {
  return { workspace_id, name, head_snapshot_id, created_at, updated_at };
}

/** Verifies that the snapshot is a state of the workspace's history. @throws Fault `not_found` */
export async function verifySnapshot(
  rows: Rows,
  workspace_id: string,
  snapshot_id: string,
): Promise<{ snapshot_id: string }> {
  // An invalid snapshot id is in no history. Postgres would reject some of them.
  const isReadable = /^snap_[0-9a-f]{64}$/.test(snapshot_id);
  return requireFound(
    isReadable
      ? await rows.snapshot.findFirst({ where: { workspace_id, snapshot_id }, select: { snapshot_id: true } })
      : null,
  );
}
