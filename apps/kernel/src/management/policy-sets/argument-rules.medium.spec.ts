// SPDX-License-Identifier: Apache-2.0
// Rules on the arguments of calls: what the kernel decides and stores, how a set that was stored goes on when tools
// change, and what simulations, explanations and backtests say.
import type { CliToolSource, ProposedCall } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { withSealedArguments } from '../../specs/long-arguments.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { readPolicyTools } from '../../judging/definitions/tenant-tools.ts';
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
  const { work } = kernel.engine;
  const recorded = new RecordedCalls({ ...kernel, trees, tools: new ToolReader(work) });
  const deltas = new StoredDeltas(kernel.blobs, null as never);
  const examiner = new EffectExaminer(kernel.blobs, kernel.tenants, null as never);
  simulate = new Simulate({ ...kernel, trees });
  backtest = new BacktestPolicy(recorded, kernel.policyRepository, kernel.signer, {
    effects: new RecordedEffects({ ...kernel, deltas, examiner }),
    now: () => 0,
  });
  explain = new ExplainOperation(recorded, kernel.policyRepository);
}, openPolicyKernel);

const PAY: CliToolSource = {
  name: 'pay',
  description: 'Pays.',
  category: 'read',
  cmd: 'pay',
  args: ['{{amount}}'],
  optional_args: { fee: ['{{fee}}'], to: ['{{to}}'] },
  parameters: {
    amount: { type: 'integer' },
    fee: { type: 'number', optional: true },
    to: { type: 'string', optional: true },
  },
};
const BOUNDED = `@id("bounded") @reason("500 at most") @would_pass("an amount of 500 at most")
forbid (principal, action == Action::"pay", resource) when { context.args.amount > 500 };
@id("fees") @reason("no high fees") @would_pass("a lower fee")
forbid (principal, action == Action::"pay", resource)
when { context.args has fee && context.args.fee.greaterThan(decimal("1.5")) };`;
const SET = setOf('bounds', BOUNDED);

const apply = (...tools: CliToolSource[]) =>
  manage.applyTools.run({ ...requestBy(callerOf(tenant.tenantId)), file: { tools }, dry_run: false });
const pay = (args: object, more: Partial<ProposedCall> = {}) =>
  tenant.call(token, { tool_id: 'pay', args: { ...args }, ...more });
const decide = async (call: ProposedCall, admit = kernel.admission) =>
  await admit.answer(await admit.decide(call, null, 0));
const verdictOf = async (call: ProposedCall, admit = kernel.admission): Promise<string> => {
  const { state, result } = await decide(call, admit);
  return result?.error?.code ?? state;
};
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
  await apply(PAY);
  await kernel.install(tenant, SET);
});

describe('a call whose arguments a rule reads', () => {
  it.each([
    [{ amount: 500 }, 'admitted'],
    [{ amount: 501 }, 'policy.denied'],
    [{ amount: 5, fee: 1.5 }, 'admitted'],
    [{ amount: 5, fee: 1.5001 }, 'policy.denied'],
    [{ amount: 5, fee: 1.50001 }, 'policy.args_untyped'],
    [{ amount: 2 ** 53 }, 'args.invalid'],
    [{ amount: '5' }, 'args.invalid'],
    [{ amount: null }, 'args.invalid'],
    [{ amount: 5, more: 1 }, 'args.invalid'],
    [{}, 'args.invalid'],
  ])('with %j ends as %s', async (args, expected) => {
    expect(await verdictOf(pay(args))).toBe(expected);
  });

  it('is decided alike where its arguments come by reference', async () => {
    for (const [args, expected] of [
      [{ amount: 500 }, 'admitted'],
      [{ amount: 501 }, 'policy.denied'],
      [{ amount: 5, fee: 0.00001 }, 'policy.args_untyped'],
    ] as const)
      expect(await verdictOf(await withSealedArguments(kernel, pay(args)))).toBe(expected);
  });

  it.each([
    ['{"amount":501}', 'policy.denied'],
    ['{ "fee": 1.0 ,\n"amount": 501.0 }', 'policy.denied'],
    ['{"amount":5.01e2}', 'policy.denied'],
    ['{"amount":50100E-2}', 'policy.denied'],
    ['{"\\u0061mount":501}', 'policy.denied'],
    ['{"amount":5e2,"fee":15e-1}', 'admitted'],
    ['{"amount":-0}', 'admitted'],
    ['{"amount":1,"amount":501}', 'args.invalid'],
    ['{"amount":501,"\\u0061mount":1}', 'args.invalid'],
    ['{"amount":1,"__proto__":{"amount":501}}', 'args.invalid'],
    ['{"amount":9007199254740993}', 'args.invalid'],
    ['{"amount":1e400}', 'args.invalid'],
  ])('is decided by what its JSON means, however %s spells it', async (text, expected) => {
    expect(await verdictOf(await withSealedArguments(kernel, pay({ amount: 1 }), text))).toBe(expected);
  });

  it('that is refused leaves no value of an argument in its row, its answer or its records', async () => {
    for (const args of [{ amount: 733_411_733 }, { amount: 7, fee: 733_411.733_411 }]) {
      const call = pay(args);
      const answer = await decide(call);
      expect(answer.state).toBe('refused');
      const explained = await explain.run({ ...kernel.asAdmin(tenant), operation_id: call.operation_id });
      for (const said of [answer, await tenant.row(call.operation_id), await tenant.records(), explained])
        expect(JSON.stringify(said)).not.toContain('733411');
    }
  });

  it('names a secret in an argument that takes one, and is refused', async () => {
    const rule =
      '@id("no.evil") forbid (principal, action == Action::"shell.run", resource) when { context.args.command like "*evil*" };';
    await kernel.install(tenant, setOf('commands', rule));
    const secret = await tenant.token({ secrets: ['NAME'] });
    await tenant.query(
      `INSERT INTO kernel.secret (tenant_id, name, version, sealed, key_id, created_by) VALUES ($1, 'NAME', 1, '', '', '')`,
      [tenant.tenantId],
    );
    const run = (command: string) => tenant.writeCall(secret, { tool_id: 'shell.run', args: { command } });
    expect(await verdictOf(run('echo evil'))).toBe('policy.denied');
    expect(await verdictOf(run('echo "${secret:NAME}"'))).toBe('policy.args_untyped');
    expect(await verdictOf(run('echo fine'))).not.toBe('policy.args_untyped');
  });
});

describe('a stored set whose tool changes', () => {
  const CHANGED: CliToolSource = { ...PAY, parameters: { ...PAY.parameters, amount: { type: 'number' } } };

  it('refuses the calls of that tool alone, on a replica that reads the set anew too, until it fits again', async () => {
    await apply(CHANGED);
    for (const admit of [kernel.admission, kernel.newReplica()]) {
      const { result } = await decide(pay({ amount: 1 }), admit);
      expect(result?.error).toMatchObject({
        code: 'policy.args_changed',
        message: "rules don't fit the arguments that `pay` takes: `bounded`",
      });
      expect(await verdictOf(tenant.call(token), admit)).toBe('admitted');
    }
    await apply(PAY);
    expect(await verdictOf(pay({ amount: 1 }), kernel.newReplica())).toBe('admitted');
  });

  it('stays readable when the tool is removed, and goes on for all others', async () => {
    await manage.applyTools.remove({ ...requestBy(callerOf(tenant.tenantId)), tool_id: 'pay' });
    const replica = kernel.newReplica();
    expect(await verdictOf(tenant.call(token), replica)).toBe('admitted');
    expect(await verdictOf(pay({ amount: 1 }), replica)).toBe('tool.unknown');
  });

  it('knows the arguments of all tools in force, and those of the 256 that were removed last', async () => {
    for (const batch of [0, 1, 2, 3, 4]) {
      const names = Array.from({ length: 64 }, (_, n) => `old.t${batch}_${n}`);
      await apply(...names.map((name) => ({ ...PAY, name })));
      for (const tool_id of names) await manage.applyTools.remove({ ...requestBy(callerOf(tenant.tenantId)), tool_id });
    }
    const tools = await readPolicyTools(kernel.tenants, tenant.tenantId);
    const known = tools.filter(({ args }) => args !== null).map(({ tool_id }) => tool_id);
    expect(tools.filter(({ tool_id }) => tool_id.startsWith('old.'))).toHaveLength(320);
    expect(known.filter((tool_id) => tool_id.startsWith('old.'))).toHaveLength(256);
    expect(known).toEqual(expect.arrayContaining(['pay', 'old.t1_0', 'old.t4_63']));
    expect(known).not.toContain('old.t0_0');
  }, 120_000);

  it("isn't stored again as long as it doesn't fit", async () => {
    await apply(CHANGED);
    const { policy, problems } = await kernel.putSet(tenant, { ...SET, name: 'again' });
    expect(policy).toBeNull();
    expect(problems).toEqual([expect.objectContaining({ line: 3 })]);
  });

  it('refuses a new tool of a family whose argument the rule needs', async () => {
    const rule =
      '@id("small") forbid (principal, action in Action::"bank.*", resource) when { context.args.amount > 5 };';
    await apply(PAY, { ...PAY, name: 'bank.pay' });
    await kernel.install(tenant, setOf('bank', rule));
    await apply(
      PAY,
      { ...PAY, name: 'bank.pay' },
      { ...PAY, name: 'bank.look', args: [], parameters: {}, optional_args: {} },
    );
    const call = (tool_id: string, args: object) => verdictOf(tenant.call(token, { tool_id, args: { ...args } }));
    expect([await call('bank.pay', { amount: 5 }), await call('bank.pay', { amount: 6 })]).toEqual([
      'admitted',
      'policy.denied',
    ]);
    expect(await call('bank.look', {})).toBe('policy.args_changed');
  });
});

describe('what would have been', () => {
  const STRICTER = setOf('stricter', BOUNDED.replace('> 500', '> 400'));
  const test = async () =>
    (
      await backtest.run({
        ...kernel.asAdmin(tenant),
        policy: null,
        document: { ...STRICTER },
        since: 0,
        cursor: null,
        limit: 100,
      })
    ).page;

  it('a simulation reads arguments', async () => {
    const ask = async (args: Record<string, unknown>) =>
      await simulate.run({
        ...kernel.asAdmin(tenant),
        policy: null,
        document: { ...STRICTER },
        call: {
          agent_id: tenant.agentId,
          capability_token_id: token,
          workspace_id: tenant.workspaceId,
          tool_id: 'pay',
          args,
          session_id: null,
          session_mode: 'interactive',
          max_autonomy: null,
          task_class: 'general',
        },
      });
    expect(await ask({ amount: 400 })).toMatchObject({ would_be: 'admitted' });
    expect(await ask({ amount: 401 })).toMatchObject({
      would_be: 'refused',
      explanation: { rules: [{ id: 'bounded' }] },
    });
    expect(await ask({ amount: 1, fee: 0.00001 })).toMatchObject({
      would_be: 'refused',
      error: { code: 'policy.args_untyped' },
    });
  });

  it('a backtest reads arguments, and skips calls whose arguments were erased', async () => {
    const calls = [{ amount: 450 }, { amount: 450 }, { amount: 300 }, { amount: 1, fee: 0.00001 }].map((args) =>
      pay(args),
    );
    for (const call of calls) await decide(call);
    expect(await test()).toMatchObject({
      examined: 4,
      skipped: 0,
      changed: 2,
      changes: [{ from: 'autopilot', to: 'no_go', tool_id: 'pay', count: 2 }],
    });
    await tenant.query('UPDATE kernel.payload SET args = NULL WHERE operation_id = $1', [calls[0]?.operation_id]);
    const page = await test();
    expect(page).toMatchObject({ examined: 4, skipped: 1, changed: 1 });
    expect(page.examples.map(({ operation_id }) => operation_id)).toEqual([calls[1]?.operation_id]);
  });
});
