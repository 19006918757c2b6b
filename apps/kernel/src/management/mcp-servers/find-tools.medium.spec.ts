// SPDX-License-Identifier: Apache-2.0
// What a client that sees one MCP server alone asks of the kernel: tools by their names there, and definitions.
import type { McpRemoteTool } from '@writ/contract';
import { remoteDigest } from '@writ/mcp-tool';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { LOOK, mcpScene, OTHER_LOOK, PUSH } from '../../specs/mcp-scene.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  // Claims cross tenants: what other tests left would be claimed here.
  await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 9e15');
  tenant = await kernel.newTenant();
});
const { register, list, chosen, accept, refuse } = mcpScene(() => ({ kernel, manage, tenant }));
const agent = (of = tenant) => requestBy(callerOf(of.tenantId, 'agent'));
const find = async (remote_name: string, name = 'github', of = tenant): Promise<string | null> =>
  (await manage.mcpServers.findTool({ ...agent(of), name, remote_name })).tool?.tool_id ?? null;
const definitions = (tool_ids: string[], name = 'github', of = tenant) =>
  manage.mcpServers.definitions({ ...agent(of), name, tool_ids });
const IDS = ['mcp.github.push-it', 'mcp.github.look'];
const DOTTED = { ...LOOK, name: 'look.at' };

it('a tool is found by the name that it has at its server, once it was accepted, also while it is out of force', async () => {
  await register();
  await list(LOOK, DOTTED, PUSH);
  expect(await find('look')).toBeNull();
  await accept(chosen(LOOK), chosen(DOTTED));
  expect([await find('look'), await find('look.at'), await find('look_at')]).toEqual([
    'mcp.github.look',
    'mcp.github.look_at',
    null,
  ]);
  await list(OTHER_LOOK, DOTTED, PUSH);
  expect(await manage.mcpServers.findTool({ ...agent(), name: 'github', remote_name: 'look' })).toEqual({
    tool: { tool_id: 'mcp.github.look', digest: remoteDigest(LOOK) },
  });
  expect([await find('push-it'), await find('look', 'gitlab'), await find('look\0')]).toEqual([null, null, null]);
  expect(await find('look', 'github', await kernel.newTenant())).toBeNull();
});

it('definitions are those that were accepted, exactly as listed, of tools in force alone', async () => {
  await register();
  await list(LOOK, PUSH);
  expect(await definitions(IDS)).toEqual({ items: [], rest: [] });
  await accept(chosen(LOOK), chosen(PUSH));
  const item = (tool_id: string, definition: McpRemoteTool) => ({
    tool_id,
    digest: remoteDigest(definition),
    definition,
  });
  expect(await definitions([...IDS, 'mcp.github.no'])).toEqual({
    items: [item('mcp.github.push-it', PUSH), item('mcp.github.look', LOOK)],
    rest: [],
  });
  await list(OTHER_LOOK, PUSH);
  expect(await definitions(IDS)).toEqual({ items: [item('mcp.github.push-it', PUSH)], rest: [] });
  await refuse(PUSH);
  expect(await definitions(IDS)).toEqual({ items: [], rest: [] });
  expect(await definitions(IDS, 'gitlab')).toEqual({ items: [], rest: [] });
  expect(await definitions(IDS, 'github', await kernel.newTenant())).toEqual({ items: [], rest: [] });
});

it('definitions that do not fit into one message are the rest, and are asked for again', async () => {
  const long = Array.from({ length: 12 }, (_, n) => ({
    ...LOOK,
    name: `long${String(n).padStart(2, '0')}`,
    description: 'x'.repeat(75 * 1024),
  }));
  await register();
  await list(...long);
  await accept(...long.map((tool) => chosen(tool)));
  const ids = long.map(({ name }) => `mcp.github.${name}`);
  const first = await definitions(ids);
  expect(first.items.length).toBeGreaterThan(1);
  expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(600 * 1024);
  const second = await definitions(first.rest);
  expect([...first.items, ...second.items].map(({ tool_id }) => tool_id)).toEqual(ids);
  expect(second.rest).toEqual([]);
});
