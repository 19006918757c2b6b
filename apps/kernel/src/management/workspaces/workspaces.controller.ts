// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  type SnapshotView,
  type WorkspaceLimits,
  type WorkspaceView,
} from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { ChangeWorkspace } from './change-workspace.ts';
import { CreateWorkspace } from './create-workspace.ts';
import { ImportWorkspace } from './import-workspace.ts';
import { RestoreWorkspace } from './restore-workspace.ts';
import { LimitWorkspace } from './workspace-limits.ts';
import { Workspaces } from './workspaces.ts';

/** Concurrent changes of one replica. Each may hold a tree of thousands of files while it is computed. */
const CHANGES_MAX = 16;

@Controller()
export class WorkspacesController {
  readonly #workspaces: Workspaces;
  readonly #create: CreateWorkspace;
  readonly #change: ChangeWorkspace;
  readonly #restore: RestoreWorkspace;
  readonly #import: ImportWorkspace;
  readonly #limits: LimitWorkspace;

  constructor(
    workspaces: Workspaces,
    create: CreateWorkspace,
    change: ChangeWorkspace,
    restore: RestoreWorkspace,
    imports: ImportWorkspace,
    limits: LimitWorkspace,
  ) {
    this.#workspaces = workspaces;
    this.#create = create;
    this.#change = change;
    this.#restore = restore;
    this.#import = imports;
    this.#limits = limits;
  }

  @MessagePattern('kernel.workspace.create')
  async create(@Payload() payload: unknown): Promise<WorkspaceView> {
    return await this.#create.run(parseMessage(KERNEL_REQUESTS['workspace.create'], payload));
  }

  @MessagePattern('kernel.workspace.change', { concurrencyMax: CHANGES_MAX })
  async change(@Payload() payload: unknown): Promise<WorkspaceView> {
    return await this.#change.run(parseMessage(KERNEL_REQUESTS['workspace.change'], payload));
  }

  @MessagePattern('kernel.workspace.import', { concurrencyMax: CHANGES_MAX })
  async import(@Payload() payload: unknown): Promise<WorkspaceView> {
    return await this.#import.run(parseMessage(KERNEL_REQUESTS['workspace.import'], payload));
  }

  @MessagePattern('kernel.workspace.restore', { concurrencyMax: CHANGES_MAX })
  async restore(@Payload() payload: unknown): Promise<WorkspaceView> {
    return await this.#restore.run(parseMessage(KERNEL_REQUESTS['workspace.restore'], payload));
  }

  @MessagePattern('kernel.workspace.read')
  async read(@Payload() payload: unknown): Promise<WorkspaceView> {
    return await this.#workspaces.read(parseMessage(KERNEL_REQUESTS['workspace.read'], payload));
  }

  @MessagePattern('kernel.workspace.list')
  async list(@Payload() payload: unknown): Promise<ListPage<WorkspaceView>> {
    return await this.#workspaces.list(parseMessage(KERNEL_REQUESTS['workspace.list'], payload));
  }

  @MessagePattern('kernel.workspace.limits.read')
  async readLimits(@Payload() payload: unknown): Promise<WorkspaceLimits> {
    return await this.#limits.read(parseMessage(KERNEL_REQUESTS['workspace.limits.read'], payload));
  }

  @MessagePattern('kernel.workspace.limits.set')
  async setLimits(@Payload() payload: unknown): Promise<WorkspaceLimits> {
    return await this.#limits.set(parseMessage(KERNEL_REQUESTS['workspace.limits.set'], payload));
  }

  @MessagePattern('kernel.workspace.snapshots')
  async snapshots(@Payload() payload: unknown): Promise<ListPage<SnapshotView>> {
    return await this.#workspaces.snapshots(parseMessage(KERNEL_REQUESTS['workspace.snapshots'], payload));
  }

  @MessagePattern('kernel.workspace.snapshot')
  async snapshot(@Payload() payload: unknown): Promise<{ snapshot_id: string }> {
    return await this.#workspaces.snapshot(parseMessage(KERNEL_REQUESTS['workspace.snapshot'], payload));
  }
}
