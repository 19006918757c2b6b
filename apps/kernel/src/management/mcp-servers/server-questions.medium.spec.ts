// SPDX-License-Identifier: Apache-2.0
// Servers that may ask their client: an administrator decides, and the answers are arguments that rules read.
import { MCP_INPUT, type McpTool } from '@writ/contract';
import { InlineTaskRunner } from '@writ/worker-pool';
import { kernelTasks } from '../../kernel.worker.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { LOOK, mcpScene, SETTINGS } from '../../specs/mcp-scene.ts';
import { callerOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import { grantResource } from '../../specs/test-resources.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { DecideMcpTools } from './decide-tools.ts';

let kernel: PolicyKernel;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, manage } = on);
}, openPolicyKernel);
const { admin, register, list, chosen, accept, changes } = mcpScene(() => ({ kernel, manage, tenant }));

const AT = `context.args["${MCP_INPUT}"]`;
const RULES = `@id("all") @reason("everything is permitted") permit (principal, action, resource);
@id("no_sampling") @reason("no model of the client") @would_pass("another capability")
forbid (principal, action == Action::"mcp.github.look", resource)
when { context.args has "${MCP_INPUT}" && ${AT}.capabilities.contains("sampling") };
@id("no_state") @reason("nothing is given back") @would_pass("no state")
forbid (principal, action == Action::"mcp.github.look", resource)
when { context.args has "${MCP_INPUT}" && ${AT} has state && ${AT}.state like "*secret*" };`;
const ASKS = { ...SETTINGS, asks: ['elicitation', 'sampling'] };

beforeEach(async () => {
  // Claims cross tenants: what other tests left would be claimed here.
  await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 9e15');
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ net: [{ domain: 'mcp.outside.example', methods: ['POST'] }] });
});

async function registered(settings: Record<string, unknown>) {
  const { resource_id } = await register(settings);
  await list(LOOK);
  await accept(chosen(LOOK, 'read'));
  await grantResource(tenant, 'mcp_server');
  return { set: (next: object, expected_version: number) => update(resource_id, next, expected_version) };
}
const update = (resource_id: string, settings: object, expected_version: number, caller = admin()) =>
  manage.resources.update({ ...requestBy(caller), resource_id, settings: { ...settings }, expected_version });
const documentOf = async (): Promise<McpTool> => {
  const page = { cursor: null, limit: 50 };
  const { items } = await manage.listTools.run({ ...requestBy(admin()), page, tool_id: 'mcp.github.look' });
  return items[0]!.tool as McpTool;
};
const verdictOf = async (input: unknown): Promise<string> => {
  const args = { place: 'here', ...(input === undefined ? {} : { [MCP_INPUT]: input }) };
  const { state, result } = await kernel.admission.answer(
    await kernel.admission.decide(tenant.writeCall(token, { tool_id: 'mcp.github.look', args }), null, 0),
  );
  return result?.error?.code ?? state;
};

it('a tool takes answers once its server may ask, and not any more when it may not', async () => {
  const { set } = await registered(SETTINGS);
  expect([(await documentOf()).asks, await verdictOf({ capabilities: [] })]).toEqual([undefined, 'args.invalid']);
  await set(ASKS, 1);
  const asking = await documentOf();
  expect([asking.version, asking.asks, asking.category]).toEqual([2, ['elicitation', 'sampling'], 'read']);
  expect(await verdictOf({ capabilities: ['elicitation'], responses: { a: { action: 'accept' } } })).toBe('admitted');
  expect(await verdictOf({ capabilities: ['roots'] })).toBe('args.invalid');
  expect(await verdictOf({ capabilities: [], more: 1 })).toBe('args.invalid');
  expect(await verdictOf(undefined)).toBe('admitted');
  await set(SETTINGS, 2);
  expect([(await documentOf()).asks, await verdictOf({ capabilities: [] })]).toEqual([undefined, 'args.invalid']);
  expect((await changes()).filter(([verb]) => verb === 'resource_updated')).toHaveLength(2);
});

it('answers to a server are arguments that rules read', async () => {
  await registered(ASKS);
  await kernel.install(tenant, setOf('asking', RULES));
  expect(await verdictOf({ capabilities: ['elicitation'] })).toBe('admitted');
  expect(await verdictOf({ capabilities: ['elicitation', 'sampling'] })).toBe('policy.denied');
  expect(await verdictOf({ capabilities: ['elicitation'], state: 'plain' })).toBe('admitted');
  expect(await verdictOf({ capabilities: ['elicitation'], state: 'a secret' })).toBe('policy.denied');
});

it('only an administrator says what a server may ask, in words that are known', async () => {
  expect(await refusalOf(register(ASKS, 'other', callerOf(tenant.tenantId, 'operator')))).toMatchObject({
    code: 'auth.role',
  });
  for (const asks of [[], ['more'], ['roots', 'roots'], 'roots'])
    expect(await refusalOf(register({ ...SETTINGS, asks }, 'other'))).toMatchObject({
      code: 'request.malformed',
      pointer: expect.stringMatching(/^\/settings\/asks/),
    });
});

it('a definition is not accepted with other questions than the server may ask by then', async () => {
  const { resource_id } = await register(SETTINGS);
  await list(LOOK);
  const inline = new InlineTaskRunner(kernelTasks);
  // An administrator changes the settings while another one's acceptance is being read.
  const meanwhile = {
    run: async (...task: Parameters<typeof inline.run>) => {
      await update(resource_id, ASKS, 1);
      return await inline.run(...task);
    },
  } as typeof inline;
  const decide = new DecideMcpTools(kernel.tenancy, kernel.changes, meanwhile);
  const accepted = decide.accept({ ...requestBy(admin()), name: 'github', tools: [chosen(LOOK)] });
  expect(await refusalOf(accepted)).toMatchObject({ code: 'conflict' });
  await accept(chosen(LOOK));
  expect((await documentOf()).asks).toEqual(ASKS.asks);
});
