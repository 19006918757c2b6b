// SPDX-License-Identifier: Apache-2.0
// The `delegated_by` of a call: the agents above the calling agent, whose rights it uses.
import { AttemptMemory } from '../../execution/attempts/index.ts';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: PolicyKernel;
let run: TestExecution;
let tenant: TestTenant;
/** the tenant's agent holds `root`; `second` has a child of it, and `third` a child of that */
let root: string;
let second: { agent: string; token: string };
let third: { agent: string; token: string };
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, run } = on);
}, openPolicyKernel);

const under = async (parent_id: string) => {
  const agent = newId('agent');
  await tenant.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
    agent,
    tenant.tenantId,
    'sub',
  ]);
  return { agent, token: await tenant.token({}, { parent_id, agent_id: agent }) };
};
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  root = await tenant.token();
  second = await under(root);
  third = await under(second.token);
});

const decided = async (token: string, agent_id: string) => {
  const { state, reasons } = await kernel.admit.run(tenant.call(token, { agent_id }), null);
  return [state, reasons[0]?.code];
};
const not = (agents: string) =>
  setOf(
    'chain',
    `@id("chain") @reason("not on behalf of that agent") @would_pass("rights of another") forbid (principal, action, resource) when { ${agents} };`,
  );

it('the policy gets each agent above, at any distance, and never the calling agent', async () => {
  await kernel.install(tenant, not(`context.delegated_by.contains(Agent::"${tenant.agentId}")`));
  expect([
    await decided(root, tenant.agentId),
    await decided(second.token, second.agent),
    await decided(third.token, third.agent),
  ]).toEqual([
    ['admitted', 'chain.all'],
    ['refused', 'chain'],
    ['refused', 'chain'],
  ]);
  await kernel.install(tenant, not(`context.delegated_by.contains(Agent::"${second.agent}")`));
  expect([await decided(second.token, second.agent), await decided(third.token, third.agent)]).toEqual([
    ['admitted', 'chain.all'],
    ['refused', 'chain'],
  ]);
});

it('the policy gets no agent where an agent uses its own rights, also narrowed ones', async () => {
  await kernel.install(tenant, not('!context.delegated_by.isEmpty()'));
  expect(await decided(await tenant.token({}, { parent_id: root }), tenant.agentId)).toEqual(['admitted', 'chain.all']);
  expect(await decided(second.token, second.agent)).toEqual(['refused', 'chain']);
});

it('the policy gets the agents above at commit as at admission', async () => {
  await kernel.install(tenant, not(`context has effect && context.delegated_by.contains(Agent::"${tenant.agentId}")`));
  const { attempt } = await run.perform(tenant, tenant.writeCall(third.token, { agent_id: third.agent }));
  const report = reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'changed' }));
  expect(await run.newCommit(new AttemptMemory(() => 0)).run(report)).toMatchObject({ state: 'rolled_back' });
  expect(await tenant.row(attempt.operation_id)).toMatchObject({
    fault_code: 'effect.out_of_scope',
    fault_message: 'not on behalf of that agent',
  });
});

it('an agent that is named by a string is refused with its position when the set is stored', async () => {
  const { problems } = await kernel.putSet(tenant, not('context.delegated_by.contains("agt_x")'));
  expect(problems).toEqual([expect.objectContaining({ line: 2 })]);
});
