// SPDX-License-Identifier: Apache-2.0
export { McpConnectionsController, McpConsentsController, TokenWorkController } from './mcp-connections.controller.ts';
export { McpConnections } from './mcp-connections.ts';
export { McpConsents } from './mcp-consents.ts';
export { TokenWork } from './token-work.ts';
