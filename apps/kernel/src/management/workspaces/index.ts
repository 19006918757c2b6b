// SPDX-License-Identifier: Apache-2.0
export { ChangeWorkspace } from './change-workspace.ts';
export { CreateWorkspace } from './create-workspace.ts';
export { HeadMoves } from './head-moves.ts';
export { ImportWorkspace } from './import-workspace.ts';
export { LimitWorkspace } from './workspace-limits.ts';
export { RestoreWorkspace } from './restore-workspace.ts';
export { Workspaces } from './workspaces.ts';
export { WorkspacesController } from './workspaces.controller.ts';
