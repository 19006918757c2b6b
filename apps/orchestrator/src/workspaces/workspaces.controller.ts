// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, LIMITS, type Delta, type SnapshotView, type WorkspaceView } from '@writ/contract';
import { diff } from '@writ/workspace';
import { Asked } from '../http/asked.ts';
import { pageOf } from '../http/fields.ts';
import { Route, type AskedOf } from '../http/route.ts';
import { WORKSPACES } from '../http/routes/index.ts';
import type { TreeView } from '../http/views.ts';
import { KernelClient } from '../support/kernel-client.ts';
import { ReadTree } from './read-tree.ts';
import { Snapshots } from './snapshots.ts';

@Controller()
export class WorkspacesController {
  constructor(private readonly kernel: KernelClient, private readonly snapshots: Snapshots, private readonly readTree: ReadTree) {}

  @Route(WORKSPACES.create)
  create(@Asked() { caller, body }: AskedOf<typeof WORKSPACES.create>): Promise<WorkspaceView> {
    return this.kernel.ask('workspace.create', caller, body);
  }

  @Route(WORKSPACES.list)
  list(@Asked() { caller, query }: AskedOf<typeof WORKSPACES.list>): Promise<{ items: WorkspaceView[]; next_cursor: string | null }> {
    return this.kernel.ask('workspace.list', caller, { page: pageOf(query) });
  }

  @Route(WORKSPACES.read)
  read(@Asked() { caller, params }: AskedOf<typeof WORKSPACES.read>): Promise<WorkspaceView> {
    return this.kernel.ask('workspace.read', caller, params);
  }

  @Route(WORKSPACES.tree)
  tree(@Asked() { caller, params, query }: AskedOf<typeof WORKSPACES.tree>): Promise<TreeView> {
    return this.readTree.run(caller, params.workspace_id, query);
  }

  @Route(WORKSPACES.snapshots)
  history(@Asked() { caller, params, query }: AskedOf<typeof WORKSPACES.snapshots>): Promise<{ items: SnapshotView[]; next_cursor: string | null }> {
    return this.kernel.ask('workspace.snapshots', caller, { ...params, page: pageOf(query) });
  }

  @Route(WORKSPACES.diff)
  async diff(@Asked() { caller, params, query }: AskedOf<typeof WORKSPACES.diff>): Promise<Delta> {
    const from = await this.snapshots.open(caller, params.workspace_id, query.from);
    const to = await this.snapshots.open(caller, params.workspace_id, query.to);
    const delta = await diff(from.reader, from.root, to.root);
    const { max, fault } = LIMITS.deltaChanges;
    if (delta.changes.length > max) throw new Fault(fault, `the snapshots differ in ${delta.changes.length} places, more than the ${max} of one answer`);
    return delta;
  }
}
