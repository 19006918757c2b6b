// SPDX-License-Identifier: Apache-2.0

export const MCP_SERVERS_PATH = '/v1/mcp-servers';

/** The path of one server. */
export const pathOf = (name: string): string => `${MCP_SERVERS_PATH}/${encodeURIComponent(name)}`;
