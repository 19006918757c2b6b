// SPDX-License-Identifier: Apache-2.0
// Rules of a policy name a request of MCP by its id, and a resource by its address. Neither has a second spelling.
import type { McpRemoteTool } from '@writ/contract';
import { serverRequests } from '@writ/mcp-tool';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { mcpScene } from '../../specs/mcp-scene.ts';
import { requestBy, type TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import { grantResource } from '../../specs/test-resources.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

const ID = 'mcp.github.resources_read';
const OTHER_ID = 'mcp.github.resources_read_88d169db';
const READ = serverRequests({ resources: {} }).find(({ name }) => name === 'resources/read')!;
const TOOL: McpRemoteTool = {
  name: 'resources_read',
  inputSchema: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] },
};
const RULES = `@id("all") @reason("everything is permitted") permit (principal, action, resource);
@id("no-drafts") @reason("drafts are nobody's to read") @would_pass("another resource")
forbid (principal, action == Action::"${ID}", resource) when { context.args.uri like "draft://*" };`;

let kernel: PolicyKernel;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, manage } = on);
}, openPolicyKernel);
beforeEach(async () => {
  // Claims cross tenants: what other tests left would be claimed here.
  await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 9e15');
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ net: [{ domain: 'mcp.outside.example', methods: ['POST'] }] });
  await register();
  await grantResource(tenant, 'mcp_server');
});
const { admin, register, list, read, toolsOf, chosen, accept, refuse, inForce, changes } = mcpScene(() => ({
  kernel,
  manage,
  tenant,
}));

const idOf = async ({ name }: McpRemoteTool): Promise<string | null> =>
  (await toolsOf()).find(({ remote_name }) => remote_name === name)?.tool_id ?? null;
const skipped = async () => (await read()).skipped;
async function readBy(tool_id: string, uri: string): Promise<string> {
  const call = tenant.writeCall(token, { tool_id, args: { uri } });
  const { state, result } = await kernel.admission.answer(await kernel.admission.decide(call, null, 0));
  return result?.error?.code ?? state;
}
/** As a version before gave ids, which took no request for more than a tool. */
const setId = async ({ name }: McpRemoteTool, id: string): Promise<void> =>
  void (await kernel.admin.query('UPDATE kernel.mcp_tool SET tool_id = $1 WHERE remote_name = $2 AND tenant_id = $3', [
    id,
    name,
    tenant.tenantId,
  ]));

it.each([
  ['at once', [TOOL, READ]],
  ['before', [TOOL]],
  ['later', [READ]],
])('a rule about reads holds where the server has a tool `resources_read`, listed %s', async (_when, first) => {
  await list(...first);
  await list(TOOL, READ);
  await accept(chosen(READ, 'read'), chosen(TOOL, 'read'));
  await kernel.install(tenant, setOf('drafts', RULES));
  expect([await idOf(READ), await idOf(TOOL)]).toEqual([ID, expect.stringMatching(/resources_read_[0-9a-f]{8}$/)]);
  expect(await readBy(ID, 'draft://7')).toBe('policy.denied');
  expect(await readBy(ID, 'issue://7')).toBe('admitted');
});

it.each(['DRAFT://7', ' draft://7', 'dr\naft://7', '\u0001draft://7', 'issue://7/%2e%2e/8'])(
  'a rule about addresses is not evaded by the spelling %j',
  async (uri) => {
    await list(READ);
    await accept(chosen(READ, 'read'));
    await kernel.install(tenant, setOf('drafts', RULES));
    expect(await readBy(ID, uri)).toBe('args.invalid');
  },
);

it('a tool that had the id of a request first keeps it, and the request can not be used, with a reason', async () => {
  await list(TOOL);
  await setId(TOOL, ID);
  await list(TOOL, READ);
  expect([await idOf(TOOL), await idOf(READ)]).toEqual([ID, null]);
  const problem = expect.stringContaining('register it again') as unknown;
  expect(await skipped()).toEqual([{ name: 'resources/read', problem }]);
  const { resource_id } = await read();
  await manage.resources.remove({ ...requestBy(admin()), resource_id });
  await register();
  await list(TOOL, READ);
  expect([await idOf(READ), await skipped()]).toEqual([ID, []]);
});

it('a request that was accepted under another id leaves force, and gets its own once that acceptance ended', async () => {
  await list(READ);
  await setId(READ, OTHER_ID);
  await accept(chosen(READ, 'read'));
  expect(await inForce()).toEqual([OTHER_ID]);
  await list(READ);
  expect(await inForce()).toEqual([]);
  expect(await changes()).toContainEqual(['mcp_tool_gone', OTHER_ID]);
  expect((await skipped())[0]?.problem).toContain('refuse');
  await refuse(READ);
  for (let n = 0; n < 2; n += 1) await list(READ);
  expect([await idOf(READ), await skipped()]).toEqual([ID, []]);
});
