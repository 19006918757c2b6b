// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, SnapshotView, WorkspaceView } from '@writ/contract';
import { fittedPage, pageOf, parseCursor, type Listed } from '../store/index.ts';
import { found, newestFirst, plainRow, requireId, requireRole, rowsAfter, type Tenancy } from '../tenancy/index.ts';
import { findWorkspace, viewOfWorkspace } from './workspace-row.ts';

/** Shows workspaces and their history. */
export class Workspaces {
  readonly #tenancy: Tenancy;

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy;
  }

  /** @throws Fault `not_found` */
  async read({ caller, workspace_id }: KernelRequest<'workspace.read'>): Promise<WorkspaceView> {
    requireId('workspace', workspace_id);
    return viewOfWorkspace(await this.#tenancy.within(caller.tenant_id, (rows) => findWorkspace(rows, caller, workspace_id)));
  }

  /** Newest first. @throws Fault `request.malformed` */
  async list({ caller, page }: KernelRequest<'workspace.list'>): Promise<Listed<WorkspaceView>> {
    const where = { ...rowsAfter(parseCursor(page.cursor), 'workspace_id'), tenant_id: caller.tenant_id };
    const stored = await this.#tenancy.within(caller.tenant_id, (rows) =>
      rows.workspace.findMany({ where, orderBy: newestFirst('workspace_id'), take: page.limit + 1 }));
    const views = stored.map((row) => viewOfWorkspace(plainRow(row)));
    return fittedPage(views, page.limit, ({ created_at, workspace_id }) => ({ created_at, id: workspace_id }));
  }

  /** Newest first. A place in a history is its number there, since two states may have one time. @throws Fault `not_found`, `request.malformed` */
  async snapshots({ caller, workspace_id, page }: KernelRequest<'workspace.snapshots'>): Promise<Listed<SnapshotView>> {
    requireId('workspace', workspace_id);
    const after = parseCursor(page.cursor);
    const { items, next_cursor } = await this.#tenancy.within(caller.tenant_id, async (rows) => {
      await findWorkspace(rows, caller, workspace_id);
      const states = await rows.snapshot.findMany({ where: { workspace_id, seq: { lt: BigInt(after.created_at) } }, orderBy: { seq: 'desc' }, take: page.limit + 1 });
      return pageOf(states.map(plainRow), page.limit, ({ seq }) => ({ created_at: seq, id: 'seq' }));
    });
    return {
      items: items.map(({ snapshot_id, parent_snapshot_id, delta_id, operation_id, created_at }) => ({ snapshot_id, parent_snapshot_id, delta_id, operation_id, created_at })),
      next_cursor,
    };
  }

  /**
   * Vouches for a state of the workspace, which whoever asks then reads. An agent doesn't: it reads by calls, within its token.
   * @throws Fault `auth.role`, `not_found`
   */
  async snapshot({ caller, workspace_id, snapshot_id }: KernelRequest<'workspace.snapshot'>): Promise<{ snapshot_id: string }> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    requireId('workspace', workspace_id);
    return await this.#tenancy.within(caller.tenant_id, async (rows) => {
      const { head_snapshot_id } = await findWorkspace(rows, caller, workspace_id);
      if (snapshot_id === null || snapshot_id === head_snapshot_id) return { snapshot_id: head_snapshot_id };
      return found(isReadable(snapshot_id) ? await rows.snapshot.findFirst({ where: { workspace_id, snapshot_id }, select: { snapshot_id: true } }) : null);
    });
  }
}

/** What is no snapshot id is in no history; Postgres would refuse some of it. */
const isReadable = (snapshotId: string): boolean => /^snap_[0-9a-f]{64}$/.test(snapshotId);
