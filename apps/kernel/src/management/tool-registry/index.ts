// SPDX-License-Identifier: Apache-2.0
export { ApplyTools } from './apply-tools.ts';
export { ListTools } from './list-tools.ts';
export { ToolsController } from './tools.controller.ts';
