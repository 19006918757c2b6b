// SPDX-License-Identifier: Apache-2.0
// What webhooks are told of MCP servers: tools that wait for a decision or left force, and servers with a problem.
import { McpServerNotice, NOTICE_TOOLS_MAX, parseMessage, type FaultCode, type McpRemoteTool } from '@writ/contract';
import { remoteDigest } from '@writ/mcp-tool';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { LOOK, mcpScene, OTHER_LOOK, PUSH } from '../../specs/mcp-scene.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { Notices } from '../notices/index.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let notices: Notices;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
  notices = new Notices(kernel.workers);
});
beforeEach(async () => {
  // Claims and notices cross tenants: what other tests left would be claimed here.
  await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 9e15');
  await kernel.admin.query('DELETE FROM kernel.notice');
  tenant = await kernel.newTenant();
  await register();
});
const { admin, register, claimed, ended, reportTools, list, read, chosen, accept, refuse } = mcpScene(() => ({
  kernel,
  manage,
  tenant,
}));

/** The notices since the last time, without what each has: kind, problem, count, ids of tools. */
async function told() {
  const { notices: got } = await notices.claim({ v: 1, limit: 100, mcp_servers: true });
  const claim = got.map((one) => parseMessage(McpServerNotice, one));
  // Those of one listing have one time, and no order.
  claim.sort((a, b) => a.created_at - b.created_at || (a.kind < b.kind ? -1 : 1));
  if (claim.length > 0) await notices.drop({ v: 1, notice_ids: claim.map(({ notice_id }) => notice_id) });
  const { resource_id } = await read();
  return claim.map(({ tenant_id, kind, mcp_server: { server, problem, count, tools, ...rest } }) => {
    expect([tenant_id, server, rest]).toEqual([tenant.tenantId, 'github', { resource_id }]);
    return [kind, problem, count, tools];
  });
}
const seen = (tool: McpRemoteTool) => ({ tool_id: `mcp.github.${tool.name}`, digest: remoteDigest(tool) });
async function fail(code: FaultCode): Promise<void> {
  await manage.mcpServers.refresh({ ...requestBy(admin()), name: 'github' });
  const problem = { code, message: 'the words of a server' };
  await manage.mcpListings.report({ ...ended(await claimed()), listing: null, problem });
}

it('new, changed and vanished tools of a server cause a notice each time, and one that is the same causes none', async () => {
  await list(LOOK, PUSH);
  expect(await told()).toEqual([['mcp_server.tools_new', null, 2, [seen(LOOK), seen(PUSH)]]]);
  await list(LOOK, PUSH);
  await accept(chosen(LOOK), chosen(PUSH));
  expect(await told()).toEqual([]);
  await list(OTHER_LOOK);
  expect(await told()).toEqual([
    ['mcp_server.tools_changed', null, 1, [seen(OTHER_LOOK)]],
    ['mcp_server.tools_gone', null, 1, [{ ...seen(PUSH), digest: null }]],
  ]);
  // What comes back as it was accepted is in force again, and what was refused is decided.
  await refuse(OTHER_LOOK);
  await list(PUSH, OTHER_LOOK);
  expect(await told()).toEqual([]);
});

it('a server of many tools causes one notice with the count, and the first tools by their ids', async () => {
  const many = Array.from({ length: 50 }, (_, n) => ({ ...LOOK, name: `look-${String(n + 10)}` }));
  await list(...many);
  expect(await told()).toEqual([['mcp_server.tools_new', null, 50, many.slice(0, NOTICE_TOOLS_MAX).map(seen)]]);
});

it('a server with a problem causes a notice at the first failure, at another one, and once it is listed again', async () => {
  await list(LOOK);
  await told();
  for (const code of ['mcp.unreachable', 'mcp.unreachable', 'mcp.protocol'] as const) await fail(code);
  await list(LOOK);
  await list(LOOK);
  expect(await told()).toEqual([
    ['mcp_server.failing', 'mcp.unreachable', 0, []],
    ['mcp_server.failing', 'mcp.protocol', 0, []],
    ['mcp_server.recovered', null, 0, []],
  ]);
});

it('an orchestrator that says nothing gets no notice about a server, and those about calls as before', async () => {
  await list(LOOK);
  // What a trigger writes for a held call.
  await kernel.admin.query(
    `INSERT INTO kernel.notice (tenant_id, kind, operation_id, agent_id, tool_id, autonomy_mode)
     VALUES ($1, 'operation.ambiguous', 'op_1', 'agt_1', 'fs.write', 'autopilot')`,
    [tenant.tenantId],
  );
  const before = await notices.claim({ v: 1, limit: 100 });
  expect(before.notices.map(({ kind }) => kind)).toEqual(['operation.ambiguous']);
  expect(before.notices[0]).not.toHaveProperty('mcp_server');
  // The other one waits for an orchestrator that reads it.
  const now = await notices.claim({ v: 1, limit: 100, mcp_servers: true });
  expect(now.notices.map(({ kind }) => kind)).toEqual(['mcp_server.tools_new']);
});

it('a report that does not count causes no notice', async () => {
  await manage.mcpServers.refresh({ ...requestBy(admin()), name: 'github' });
  const claim = await claimed();
  await kernel.admin.query('UPDATE kernel.mcp_server SET claim = claim + 1');
  expect(await reportTools(claim, [LOOK])).toBe(false);
  expect(await told()).toEqual([]);
});
