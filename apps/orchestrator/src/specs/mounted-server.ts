// SPDX-License-Identifier: Apache-2.0
import type { McpRemoteTool } from '@writ/contract';
import { acceptedTool, remoteDigest } from '@writ/mcp-tool';
import { newId } from '@writ/nest-kit';
import { resourceOf } from './fake-views.ts';
import { GRANT, type Fixture } from './tenant-fixture.ts';
import type { TestApi, TestTenant } from './test-api.ts';

/** The id of a tool of the server `tracker`. */
export const trackerTool = (name: string): string => `mcp.tracker.${name.replaceAll('/', '_')}`;

/**
 * An MCP server `tracker` with these tools in force.
 * @returns a token of the fixture's agent that grants them, and the tools of Writ that `more` names
 */
export function keepTracker(
  { kernel }: TestApi,
  { tenantId }: TestTenant,
  { capability_token_id }: Fixture,
  tools: readonly McpRemoteTool[],
  more: readonly string[] = [],
): string {
  const resource_id = newId('resource');
  const settings = { transport: 'http', url: 'https://mcp.example.org/mcp' };
  kernel.keep(
    tenantId,
    resource_id,
    'resource',
    resourceOf(resource_id, { kind: 'mcp_server', name: 'tracker', settings }),
  );
  for (const tool of tools) {
    const server = { name: 'tracker', digest: 'd'.repeat(64) };
    const accepted = { ...acceptedTool(server, tool.name.replaceAll('/', '_'), tool, 'read'), version: 1 };
    const view = { tool: accepted, definition_digest: remoteDigest(tool), applied_by: 'spec', applied_at: 1 };
    kernel.keep(tenantId, accepted.tool_id, 'tool', view);
  }
  kernel.handlers.set('mcp_server.find_tool', (_caller, { remote_name }) => {
    const found = tools.find(({ name }) => name === remote_name);
    return { tool: found === undefined ? null : { tool_id: trackerTool(found.name), digest: remoteDigest(found) } };
  });
  kernel.handlers.set('mcp_server.definitions', () => ({ items: [], rest: [] }));
  const token = newId('token');
  const kept = kernel.find({ tenant_id: tenantId } as never, capability_token_id) as object;
  const grant = { ...GRANT, tools: ['mcp.tracker.*', ...more] };
  kernel.keep(tenantId, token, 'token', { ...kept, capability_token_id: token, chain: [token], grant });
  return token;
}
