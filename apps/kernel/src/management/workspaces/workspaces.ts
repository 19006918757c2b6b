// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, SnapshotKind, SnapshotView, WorkspaceView } from '@writ/contract';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { pageOf, type ListPage } from '@writ/paging';
import {
  requireFound,
  newestFirst,
  plainRow,
  callIn,
  requireId,
  requireRole,
  rowsAfter,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';
import { findWorkspace, verifySnapshot, viewOfWorkspace } from './workspace-row.ts';

/** Shows workspaces and their history. */
export class Workspaces {
  readonly #tenancy: Tenancy;

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy;
  }

  /** @throws Fault `not_found` */
  async read({ caller, workspace_id }: KernelRequest<'workspace.read'>): Promise<WorkspaceView> {
    requireId('workspace', workspace_id);
    return viewOfWorkspace(
      await this.#tenancy.within(caller.tenant_id, (rows) => findWorkspace(rows, caller, workspace_id)),
    );
  }

  /** Newest first. @throws Fault `request.malformed` */
  async list({ caller, page }: KernelRequest<'workspace.list'>): Promise<ListPage<WorkspaceView>> {
    const where = { ...rowsAfter(parseCursor(page.cursor), 'workspace_id'), tenant_id: caller.tenant_id };
    const stored = await this.#tenancy.within(caller.tenant_id, (rows) =>
      rows.workspace.findMany({ where, orderBy: newestFirst('workspace_id'), take: page.limit + 1 }),
    );
    const views = stored.map((row) => viewOfWorkspace(plainRow(row)));
    return fittedPage(views, page.limit, ({ created_at, workspace_id }) => ({ created_at, id: workspace_id }));
  }

  /**
   * Newest first. The position in a history is its sequence number, since two states may have the same time.
   * @throws Fault `not_found`, `request.malformed`
   */
  async snapshots({
    caller,
    workspace_id,
    page,
  }: KernelRequest<'workspace.snapshots'>): Promise<ListPage<SnapshotView>> {
    requireId('workspace', workspace_id);
    const after = parseCursor(page.cursor);
    return await this.#tenancy.within(caller.tenant_id, async (rows) => {
      await findWorkspace(rows, caller, workspace_id);
      const states = await rows.snapshot.findMany({
        where: { workspace_id, seq: { lt: BigInt(after.created_at) } },
        orderBy: { seq: 'desc' },
        take: page.limit + 1,
      });
      const { items, next_cursor } = pageOf(states.map(plainRow), page.limit, ({ seq }) => ({
        created_at: seq,
        id: 'seq',
      }));
      const calls = await callsOf(rows, items);
      return { items: items.map((state) => viewOfSnapshot(state, calls)), next_cursor };
    });
  }

  /**
   * Verifies a state of the workspace, which the caller then reads. Agents can't use this: they read by calls, within
   * their token.
   * @throws Fault `auth.role`, `not_found`
   */
  async snapshot({
    caller,
    workspace_id,
    snapshot_id,
    at,
  }: KernelRequest<'workspace.snapshot'>): Promise<{ snapshot_id: string }> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    requireId('workspace', workspace_id);
    return await this.#tenancy.within(caller.tenant_id, async (rows) => {
      const { head_snapshot_id } = await findWorkspace(rows, caller, workspace_id);
      if (snapshot_id !== null && snapshot_id !== head_snapshot_id)
        return await verifySnapshot(rows, workspace_id, snapshot_id);
      return { snapshot_id: at === undefined || at === null ? head_snapshot_id : await headAt(rows, workspace_id, at) };
    });
  }
}

/** @throws Fault `not_found` for a time before the workspace was created */
async function headAt(rows: Rows, workspaceId: string, at: number): Promise<string> {
  return requireFound(await callIn(rows, kernelSql.snapshotAt, { workspace: workspaceId, at }));
}

type Call = { readonly agent_id: string; readonly tool_id: string };
type State = Omit<SnapshotView, 'kind' | 'tool_id'> & { readonly kind: string };

/** The calls that committed these states, by operation. */
async function callsOf(rows: Rows, states: readonly State[]): Promise<ReadonlyMap<string, Call>> {
  const ids = states.flatMap(({ operation_id }) => (operation_id === null ? [] : [operation_id]));
  const calls = await rows.operation.findMany({
    where: { operation_id: { in: ids } },
    select: { operation_id: true, agent_id: true, tool_id: true },
  });
  return new Map(calls.map((call) => [call.operation_id, call]));
}

function viewOfSnapshot(
  { seq, snapshot_id, parent_snapshot_id, delta_id, kind, operation_id, made_by, created_at }: State,
  calls: ReadonlyMap<string, Call>,
): SnapshotView {
  const call = operation_id === null ? undefined : calls.get(operation_id);
  return {
    seq,
    snapshot_id,
    parent_snapshot_id,
    delta_id,
    kind: kind as SnapshotKind,
    operation_id,
    tool_id: call?.tool_id ?? null,
    made_by: call?.agent_id ?? made_by,
    created_at,
  };
}
