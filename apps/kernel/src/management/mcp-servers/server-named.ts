// SPDX-License-Identifier: Apache-2.0

/** Where the MCP server of that name is among the resources of the tenant. */
export const serverNamed = (tenant_id: string, name: string) => ({
  tenant_id,
  kind: 'mcp_server',
  // No name contains NUL, and the database rejects NUL in a query.
  name: name.replaceAll('\0', ''),
  removed_at: null,
});
