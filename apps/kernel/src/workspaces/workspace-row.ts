// SPDX-License-Identifier: Apache-2.0
import type { Caller, WorkspaceView } from '@writ/contract';
import { found, plainRow, type Rows } from '../tenancy/index.ts';

export interface StoredWorkspace extends WorkspaceView {
  readonly tenant_id: string;
  /** how many states were the head before this one */
  readonly head_seq: number;
}

/** @throws Fault `not_found` */
export async function findWorkspace(rows: Rows, { tenant_id }: Caller, workspace_id: string): Promise<StoredWorkspace> {
  return plainRow(found(await rows.workspace.findFirst({ where: { workspace_id, tenant_id } })));
}

export function viewOfWorkspace({ workspace_id, name, head_snapshot_id, created_at, updated_at }: StoredWorkspace): WorkspaceView {
  return { workspace_id, name, head_snapshot_id, created_at, updated_at };
}
