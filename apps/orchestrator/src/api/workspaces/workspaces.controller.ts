// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { Delta, SnapshotView, TextDiff, WorkspaceLimits, WorkspaceView } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { WORKSPACES } from './routes.ts';
import type { TreeView } from './views.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { Compare } from './compare.ts';
import { ReadTree } from './read-tree.ts';
import { Restore } from './restore.ts';

@Controller()
export class WorkspacesController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly readTree: ReadTree,
    private readonly compare: Compare,
    private readonly restoreState: Restore,
  ) {}

  @Route(WORKSPACES.create)
  create(@RequestInput() { caller, body }: RequestInputOf<typeof WORKSPACES.create>): Promise<WorkspaceView> {
    return this.kernel.ask('workspace.create', caller, body);
  }

  @Route(WORKSPACES.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof WORKSPACES.list>,
  ): Promise<{ items: WorkspaceView[]; next_cursor: string | null }> {
    return this.kernel.ask('workspace.list', caller, { page: pageOf(query) });
  }

  @Route(WORKSPACES.read)
  read(@RequestInput() { caller, params }: RequestInputOf<typeof WORKSPACES.read>): Promise<WorkspaceView> {
    return this.kernel.ask('workspace.read', caller, params);
  }

  @Route(WORKSPACES.readLimits)
  readLimits(
    @RequestInput() { caller, params }: RequestInputOf<typeof WORKSPACES.readLimits>,
  ): Promise<WorkspaceLimits> {
    return this.kernel.ask('workspace.limits.read', caller, params);
  }

  @Route(WORKSPACES.setLimits)
  setLimits(
    @RequestInput() { caller, params, body }: RequestInputOf<typeof WORKSPACES.setLimits>,
  ): Promise<WorkspaceLimits> {
    return this.kernel.ask('workspace.limits.set', caller, { ...params, change: body });
  }

  @Route(WORKSPACES.tree)
  tree(@RequestInput() { caller, params, query }: RequestInputOf<typeof WORKSPACES.tree>): Promise<TreeView> {
    return this.readTree.run(caller, params.workspace_id, query);
  }

  @Route(WORKSPACES.history)
  history(
    @RequestInput() { caller, params, query }: RequestInputOf<typeof WORKSPACES.history>,
  ): Promise<{ items: SnapshotView[]; next_cursor: string | null }> {
    return this.kernel.ask('workspace.snapshots', caller, { ...params, page: pageOf(query) });
  }

  @Route(WORKSPACES.diff)
  diff(@RequestInput() { caller, params, query }: RequestInputOf<typeof WORKSPACES.diff>): Promise<Delta> {
    return this.compare.delta(caller, params.workspace_id, query);
  }

  @Route(WORKSPACES.textDiff)
  textDiff(@RequestInput() { caller, params, query }: RequestInputOf<typeof WORKSPACES.textDiff>): Promise<TextDiff> {
    return this.compare.text(caller, params.workspace_id, query);
  }

  @Route(WORKSPACES.restore)
  restore(@RequestInput() { caller, params, body }: RequestInputOf<typeof WORKSPACES.restore>): Promise<WorkspaceView> {
    return this.restoreState.run(caller, params.workspace_id, body);
  }
}
