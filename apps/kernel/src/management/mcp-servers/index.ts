// SPDX-License-Identifier: Apache-2.0
export { DecideMcpTools } from './decide-tools.ts';
export { leaveServer } from './leave-server.ts';
export { McpListings } from './mcp-listings.ts';
export { McpListingsController, McpServersController } from './mcp-servers.controller.ts';
export { McpServers } from './mcp-servers.ts';
export { serverNamed } from './server-named.ts';
export { storedProblem } from './stored-problem.ts';
export { putIntoForce, removeServerTools } from './tools-in-force.ts';
