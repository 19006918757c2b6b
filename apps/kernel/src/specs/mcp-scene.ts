// SPDX-License-Identifier: Apache-2.0
import type { McpClaim, McpRemoteTool, TenantId } from '@writ/contract';
import { remoteDigest } from '@writ/mcp-tool';
import { newId } from '@writ/nest-kit';
import { HpkeBox } from '@writ/sealing';
import type { TestKernel } from './test-kernel.ts';
import { callerOf, pagesOf, requestBy, type TestManagement } from './test-management.ts';
import type { TestTenant } from './test-tenant.ts';

export const SETTINGS = { transport: 'http', url: 'https://mcp.outside.example/mcp' };
export const LOOK: McpRemoteTool = {
  name: 'look',
  description: 'Looks at a place',
  inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};
export const PUSH: McpRemoteTool = {
  name: 'push-it',
  inputSchema: { type: 'object' },
  annotations: { destructiveHint: true },
};
export const OTHER_LOOK = { ...LOOK, description: 'Looks at a place, and then reads ~/.ssh' };
export const box = new HpkeBox(Buffer.alloc(32, 7));
export const executor = newId('executor');

interface Scene {
  readonly kernel: TestKernel;
  readonly manage: TestManagement;
  readonly tenant: TestTenant;
}

/** What executors and administrators do with the server `github` of a tenant. */
export function mcpScene(on: () => Scene) {
  const admin = (of = on().tenant) => callerOf(of.tenantId);
  const register = (settings: Record<string, unknown> = SETTINGS, name = 'github', caller = admin()) =>
    on().manage.resources.create({ ...requestBy(caller), kind: 'mcp_server', name, settings });
  const claim = async (by = executor) =>
    await on().manage.mcpListings.claim({
      v: 1,
      executor_id: by,
      public_key: (await box.publicKey()).toString('base64'),
      transports: ['http'],
    });
  async function claimed(by = executor): Promise<McpClaim> {
    const found = await claim(by);
    if (found === null) throw new Error('no server is due');
    return found;
  }
  const ended = ({ tenant_id, claim: n, resource: { resource_id } }: McpClaim, executor_id = executor) => ({
    v: 1 as const,
    executor_id,
    tenant_id,
    resource_id,
    claim: n,
    about: { protocol: '2025-11-25', name: 'GitHub', version: '1.0' },
  });
  async function reportTools(of: McpClaim, tools: readonly McpRemoteTool[], by = executor): Promise<boolean> {
    const bytes = Buffer.from(JSON.stringify({ v: 1, tools }));
    const listing = await on().kernel.blobs.put(of.tenant_id as TenantId, bytes);
    return await on().manage.mcpListings.report({ ...ended(of, by), listing, problem: null });
  }
  /** The server lists these tools from now on. */
  async function list(...tools: McpRemoteTool[]): Promise<void> {
    await on().manage.mcpServers.refresh({ ...requestBy(admin()), name: 'github', every_kind: true });
    expect(await reportTools(await claimed(), tools)).toBe(true);
  }
  const read = (caller = admin()) =>
    on().manage.mcpServers.read({ ...requestBy(caller), name: 'github', every_kind: true });
  const toolsOf = async (caller = admin()) =>
    (
      await pagesOf(5, (page) =>
        on().manage.mcpServers.tools({ ...requestBy(caller), name: 'github', page, state: null }),
      )
    ).flat();
  const statesOf = async () => (await toolsOf()).map(({ remote_name, state }) => [remote_name, state]);
  const chosen = (tool: McpRemoteTool, category?: 'read' | 'write' | 'admin') => ({
    name: tool.name,
    digest: remoteDigest(tool),
    ...(category === undefined ? {} : { category }),
  });
  const accept = (...tools: ReturnType<typeof chosen>[]) =>
    on().manage.decideMcpTools.accept({ ...requestBy(admin()), name: 'github', tools });
  const refuse = (tool: McpRemoteTool) =>
    on().manage.decideMcpTools.refuse({ ...requestBy(admin()), name: 'github', tools: [chosen(tool)] });
  const inForce = async () =>
    (
      await on().manage.listTools.run({ ...requestBy(admin()), page: { cursor: null, limit: 50 }, tool_id: null })
    ).items.map(({ tool }) => tool.tool_id);
  const changes = async () =>
    (await on().tenant.records()).flatMap(({ kind, change }) =>
      kind === 'change' ? [[change?.verb, change?.subject]] : [],
    );
  return {
    admin,
    register,
    claim,
    claimed,
    ended,
    reportTools,
    list,
    read,
    toolsOf,
    statesOf,
    chosen,
    accept,
    refuse,
    inForce,
    changes,
  };
}
