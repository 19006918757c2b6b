// SPDX-License-Identifier: Apache-2.0
// Rules that redact members of results: what is stored and decided, and what simulations and backtests say.
import type { FunctionToolSource } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { ToolReader } from '../../judging/judgement/index.ts';
import { EffectExaminer, StoredDeltas } from '../../execution/effects/index.ts';
import { Trees } from '../../foundation/workspace/trees.ts';
import { BacktestPolicy, ExplainOperation, RecordedCalls, RecordedEffects, Simulate } from '../what-if/index.ts';

let kernel: PolicyKernel;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
let simulate: Simulate;
let backtest: BacktestPolicy;
let explain: ExplainOperation;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, manage } = on);
  const trees = new Trees(kernel.blobs);
  const recorded = new RecordedCalls({ ...kernel, trees, tools: new ToolReader(kernel.engine.work) });
  const deltas = new StoredDeltas(kernel.blobs, null as never);
  const examiner = new EffectExaminer(kernel.blobs, kernel.tenants, null as never);
  simulate = new Simulate({ ...kernel, trees });
  backtest = new BacktestPolicy(recorded, kernel.policyRepository, kernel.signer, {
    effects: new RecordedEffects({ ...kernel, deltas, examiner }),
    now: () => 0,
  });
  explain = new ExplainOperation(recorded, kernel.policyRepository);
}, openPolicyKernel);

const LOOK_UP: FunctionToolSource = {
  name: 'crm.look_up',
  description: 'Looks a customer up.',
  category: 'read',
  mode: 'pull',
  parameters: { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
  result: {
    type: 'object',
    properties: { email: { type: 'string' }, name: { type: 'string' } },
    additionalProperties: false,
  },
};
const ruleOn = (pointer: string, scope = 'action == Action::"crm.look_up"'): string =>
  `@id("crm.hidden") @reason("no agent sees it") @redact("${pointer}") forbid (principal, ${scope}, resource);`;
const REDACTIONS = [{ rule: 'crm.hidden', pointers: ['/email'] }];

const apply = (...functions: FunctionToolSource[]) =>
  manage.applyTools.run({ ...requestBy(callerOf(tenant.tenantId)), file: { functions }, dry_run: false });
const call = () => tenant.call(token, { tool_id: LOOK_UP.name, args: { customer: 'c' } });
const decide = async (proposed = call(), admit = kernel.admission) =>
  await admit.answer(await admit.decide(proposed, null, 0));
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
  await apply(LOOK_UP);
  await kernel.install(tenant, setOf('hidden', ruleOn('/email')));
});

describe('a set with a rule that redacts', () => {
  it.each([
    ['a member that no result has', ruleOn('/emial'), 'leads to nothing'],
    ['the output of a command', ruleOn('/output', 'action == Action::"shell.run"'), "can't be redacted of `shell.run`"],
    ['all results', ruleOn('/email', 'action'), "can't be redacted of"],
  ])('is not stored where it redacts %s', async (_what, rule, message) => {
    const { policy, problems } = await kernel.putSet(tenant, setOf('wrong', rule));
    expect(policy).toBeNull();
    expect(JSON.stringify(problems)).toContain(message);
  });

  it('binds what it redacts with the decision, in the row, the answer and the record', async () => {
    const proposed = call();
    const view = await decide(proposed);
    expect(view).toMatchObject({ state: 'admitted', redactions: REDACTIONS });
    expect(view.reasons.at(-1)?.message).toBe('no agent sees it; of the result `/email` is redacted');
    expect(await tenant.row(proposed.operation_id)).toMatchObject({ redactions: REDACTIONS });
    const records = (await tenant.records()).filter(({ operation_id }) => operation_id === proposed.operation_id);
    expect(records).toMatchObject([{ redactions: REDACTIONS, rule_ids: expect.arrayContaining(['crm.hidden']) }]);
  });

  it('refuses the calls of a tool that its caller runs by now, on a replica that reads the set anew too', async () => {
    await apply({ ...LOOK_UP, mode: 'caller' });
    for (const admit of [kernel.admission, kernel.newReplica()]) {
      const { result, state } = await decide(call(), admit);
      expect([state, result?.error?.code]).toEqual(['refused', 'policy.unredactable']);
      expect((await decide(tenant.call(token), admit)).state).toBe('admitted');
    }
  });

  it('is shown by a simulation, an explanation and a backtest', async () => {
    const proposed = call();
    await decide(proposed);
    const about = { agent_id: tenant.agentId, workspace_id: tenant.workspaceId, capability_token_id: token };
    const simulated = await simulate.run({
      ...kernel.asAdmin(tenant),
      policy: null,
      document: setOf('name', ruleOn('/name')),
      call: { ...about, tool_id: LOOK_UP.name, args: { customer: 'c' } },
    } as never);
    expect(JSON.stringify(simulated)).toContain('of the result `/name` is redacted');
    const explained = await explain.run({ ...kernel.asAdmin(tenant), operation_id: proposed.operation_id });
    expect(explained.then?.rule_ids).toContain('crm.hidden');
    const { page } = await backtest.run({
      ...kernel.asAdmin(tenant),
      policy: null,
      document: setOf('name', ruleOn('/name')),
      since: 0,
      cursor: null,
      limit: 10,
    } as never);
    expect(page).toMatchObject({
      changed: 0,
      redactions: { changed: 1, examples: [{ from: REDACTIONS, to: [{ rule: 'crm.hidden', pointers: ['/name'] }] }] },
    });
  });
});
