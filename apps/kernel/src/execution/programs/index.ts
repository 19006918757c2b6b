// SPDX-License-Identifier: Apache-2.0
export { McpPrograms } from './mcp-programs.ts';
export { McpProgramsController } from './mcp-programs.controller.ts';
