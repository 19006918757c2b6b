// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { Delta, SnapshotView, TextDiff, WorkspaceLimits, WorkspaceView } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
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
    private readonly restoreTo: Restore,
  ) {}

  @Route(WORKSPACES.create)
  create(@Asked() { caller, body }: AskedOf<typeof WORKSPACES.create>): Promise<WorkspaceView> {
    return this.kernel.ask('workspace.create', caller, body);
  }

  @Route(WORKSPACES.list)
  list(
    @Asked() { caller, query }: AskedOf<typeof WORKSPACES.list>,
  ): Promise<{ items: WorkspaceView[]; next_cursor: string | null }> {
    return this.kernel.ask('workspace.list', caller, { page: pageOf(query) });
  }

  @Route(WORKSPACES.read)
  read(@Asked() { caller, params }: AskedOf<typeof WORKSPACES.read>): Promise<WorkspaceView> {
    return this.kernel.ask('workspace.read', caller, params);
  }

  @Route(WORKSPACES.readLimits)
  readLimits(@Asked() { caller, params }: AskedOf<typeof WORKSPACES.readLimits>): Promise<WorkspaceLimits> {
    return this.kernel.ask('workspace.limits.read', caller, params);
  }

  @Route(WORKSPACES.setLimits)
  setLimits(@Asked() { caller, params, body }: AskedOf<typeof WORKSPACES.setLimits>): Promise<WorkspaceLimits> {
    return this.kernel.ask('workspace.limits.set', caller, { ...params, change: body });
  }

  @Route(WORKSPACES.tree)
  tree(@Asked() { caller, params, query }: AskedOf<typeof WORKSPACES.tree>): Promise<TreeView> {
    return this.readTree.run(caller, params.workspace_id, query);
  }

  @Route(WORKSPACES.history)
  history(
    @Asked() { caller, params, query }: AskedOf<typeof WORKSPACES.history>,
  ): Promise<{ items: SnapshotView[]; next_cursor: string | null }> {
    return this.kernel.ask('workspace.snapshots', caller, { ...params, page: pageOf(query) });
  }

  @Route(WORKSPACES.diff)
  diff(@Asked() { caller, params, query }: AskedOf<typeof WORKSPACES.diff>): Promise<Delta> {
    return this.compare.delta(caller, params.workspace_id, query);
  }

  @Route(WORKSPACES.textDiff)
  textDiff(@Asked() { caller, params, query }: AskedOf<typeof WORKSPACES.textDiff>): Promise<TextDiff> {
    return this.compare.text(caller, params.workspace_id, query);
  }

  @Route(WORKSPACES.restore)
  restore(@Asked() { caller, params, body }: AskedOf<typeof WORKSPACES.restore>): Promise<WorkspaceView> {
    return this.restoreTo.run(caller, params.workspace_id, body);
  }
}
