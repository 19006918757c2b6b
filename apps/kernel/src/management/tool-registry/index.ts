// SPDX-License-Identifier: Apache-2.0
export { applyDrafts, recordOf } from './apply-drafts.ts';
export { ApplyTools } from './apply-tools.ts';
export { activateVersion, lockTools } from './tool-rows.ts';
export { ListTools } from './list-tools.ts';
export { ToolsController } from './tools.controller.ts';
