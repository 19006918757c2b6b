// SPDX-License-Identifier: Apache-2.0
// The history and the labels of a session: read, decided on and asserted by the kernel.
import type { ProposedCall } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: PolicyKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, run } = on);
}, openPolicyKernel);
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello', '.env': 'KEY=1' });
  token = await tenant.token();
});

const outcomeOf = async (call: ProposedCall) => {
  const view = await kernel.admit.run(call, null);
  return view.result?.error?.code ?? view.state;
};
const outcomeRuleIds = async (operationId: string) =>
  (await tenant.records()).find(({ operation_id, phase }) => operation_id === operationId && phase === 'outcome')
    ?.rule_ids;
const read = (more: Partial<ProposedCall> = {}) => tenant.call(token, { session_id: 'one', ...more });
const write = (more: Partial<ProposedCall> = {}) => tenant.writeCall(token, { session_id: 'one', ...more });

describe('at most n', () => {
  const twice = setOf('twice', '', {
    history: [{ id: 'twice', kind: 'at_most', tools: ['fs.*'], n: 2, then: 'refuse', reason: 'twice is enough' }],
  });

  it('counts the admitted calls of this session, and none of another', async () => {
    await kernel.install(tenant, twice);
    expect([await outcomeOf(read()), await outcomeOf(write()), await outcomeOf(read())]).toEqual([
      'admitted',
      'admitted',
      'policy.denied',
    ]);
    expect(await outcomeOf(read({ session_id: 'two' }))).toBe('admitted');
    const other = await kernel.newTenant();
    await other.write({ 'a.txt': 'x' });
    await kernel.install(other, twice);
    expect(await outcomeOf(other.call(await other.token(), { session_id: 'one' }))).toBe('admitted');
  });

  it('does not count what was refused, held or only tried out', async () => {
    await kernel.install(tenant, twice);
    for (let n = 0; n < 3; n += 1) {
      expect(await outcomeOf(read({ args: {} }))).toBe('args.invalid');
      expect(await outcomeOf(read({ dry_run: true }))).toBe('no_op');
      expect(await outcomeOf(read({ max_autonomy: 'soft_gate' }))).toBe('held');
    }
    expect(await outcomeOf(read())).toBe('admitted');
  });

  it("counts a call without a session as one of its token's", async () => {
    await kernel.install(tenant, twice);
    const outcomes = [];
    for (let n = 0; n < 3; n += 1) outcomes.push(await outcomeOf(tenant.call(token)));
    expect(outcomes).toEqual(['admitted', 'admitted', 'policy.denied']);
    expect(await outcomeOf(tenant.call(await tenant.token()))).toBe('admitted');
  });

  it('holds among 16 callers at once on two replicas', async () => {
    await kernel.install(tenant, twice);
    const replicas = [kernel.newReplica(), kernel.newReplica()];
    const decided = await Promise.allSettled(
      Array.from({ length: 16 }, (_, n) => replicas[n % 2]?.decide(read(), null, 0)),
    );
    const states = decided.map((each) =>
      each.status === 'fulfilled' ? each.value?.row.state : (each.reason as { code?: string }).code,
    );
    expect(states.filter((state) => state === 'admitted')).toHaveLength(2);
    expect(states.every((state) => ['admitted', 'refused', 'overloaded'].includes(String(state)))).toBe(true);
  });

  it('looks no further back than its window', async () => {
    await kernel.install(
      tenant,
      setOf('window', '', {
        history: [
          {
            id: 'window',
            kind: 'at_most',
            tools: ['fs.read'],
            n: 1,
            window_ms: 60_000,
            then: 'refuse',
            reason: 'once a minute',
          },
        ],
      }),
    );
    expect([await outcomeOf(read()), await outcomeOf(read())]).toEqual(['admitted', 'policy.denied']);
    await tenant.query('UPDATE kernel.operation SET created_at = created_at - 60001 WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    expect(await outcomeOf(read())).toBe('admitted');
  });
});

it('only after: a call is allowed after another one succeeded, not after it was only admitted', async () => {
  await kernel.install(
    tenant,
    setOf('after', '', {
      history: [
        {
          id: 'after',
          kind: 'only_after',
          tools: ['fs.read'],
          after: ['fs.write'],
          then: 'refuse',
          reason: 'write first',
        },
      ],
    }),
  );
  expect(await outcomeOf(read())).toBe('policy.denied');
  const { attempt } = await run.perform(tenant, write());
  expect(await outcomeOf(read())).toBe('policy.denied');
  await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'changed' })));
  expect(await outcomeOf(read())).toBe('admitted');
});

it('never after: once the other was admitted, a person must see it', async () => {
  await kernel.install(
    tenant,
    setOf('never', '', {
      history: [
        {
          id: 'never',
          kind: 'never_after',
          tools: ['fs.write'],
          after: ['fs.read'],
          then: 'soft_gate',
          reason: 'it has read',
        },
      ],
    }),
  );
  expect([await outcomeOf(write()), await outcomeOf(read()), await outcomeOf(write())]).toEqual([
    'admitted',
    'admitted',
    'held',
  ]);
});

describe('labels', () => {
  const LEAK =
    '@id("leak") @reason("secrets were read") @would_pass("a session that read none") forbid (principal, action in Action::"write", resource) when { context.labels.contains("secret_read") };';

  it('are put on the session when a call that reads a file of secrets is admitted, and stay', async () => {
    await kernel.install(tenant, setOf('labels', LEAK));
    expect([
      await outcomeOf(write()),
      await outcomeOf(read({ args: { path: '.env' } })),
      await outcomeOf(write()),
      await outcomeOf(write()),
    ]).toEqual(['admitted', 'admitted', 'policy.denied', 'policy.denied']);
    expect(await outcomeOf(write({ session_id: 'two' }))).toBe('admitted');
  });

  it('are not put by a call that was refused, held or only tried out', async () => {
    await kernel.install(tenant, setOf('labels', LEAK));
    const secret = { args: { path: '.env' } };
    await outcomeOf(read({ ...secret, dry_run: true }));
    await outcomeOf(read({ ...secret, max_autonomy: 'soft_gate' }));
    await outcomeOf(read({ ...secret, max_autonomy: 'no_go' }));
    expect(await outcomeOf(write())).toBe('admitted');
  });

  it('of a tool that may write are on the workspace too, for every session', async () => {
    await kernel.install(tenant, setOf('labels', LEAK));
    const command = write({ tool_id: 'shell.run', args: { command: 'cat ~/.ssh/id_rsa' } });
    const { approval_id } = await kernel.admit.run(command, null);
    expect(await outcomeOf(write({ session_id: 'two' }))).toBe('admitted');
    await kernel.decide.run({
      ...kernel.asAdmin(tenant),
      approval_id: approval_id ?? '',
      decision: 'approve',
      comment: null,
    });
    expect(await outcomeOf(write({ session_id: 'two' }))).toBe('policy.denied');
    expect(await outcomeOf(write({ session_id: 'two', workspace_id: await tenant.secondWorkspace() }))).toBe(
      'admitted',
    );
  });

  it('that were added during a decision are found by the statement that writes it', async () => {
    await kernel.install(tenant, setOf('labels', LEAK));
    await kernel.admin.query('BEGIN');
    await kernel.admin.query('SELECT kernel.change_rules($1)', [tenant.tenantId]);
    const deciding = outcomeOf(write());
    await kernel.untilBlocked();
    await kernel.admin.query(
      `INSERT INTO kernel.label (tenant_id, scope, id, label, operation_id) VALUES ($1, 'session', 'one', 'secret_read', 'op_x')`,
      [tenant.tenantId],
    );
    await kernel.admin.query('COMMIT');
    expect(await deciding).toBe('policy.denied');
  });
});

describe('a set that observes', () => {
  const rules =
    '@id("o.reads") @reason("nothing is read here") @would_pass("x") forbid (principal, action == Action::"fs.read", resource);\n@id("o.a") @reason("a.txt stays") @would_pass("x") forbid (principal, action, resource is File) when { context has effect && resource.path == "a.txt" };';
  beforeEach(() => kernel.install(tenant, setOf('watching', rules, { enforcement: 'observe' })));

  it('admits what it would refuse, and states that in reasons and in the record', async () => {
    const view = await kernel.admit.run(read(), null);
    expect(view).toMatchObject({ state: 'admitted', autonomy_mode: 'autopilot' });
    expect(view.reasons).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'policy.observed' }),
        expect.objectContaining({ code: 'o.reads' }),
      ]),
    );
    const record = (await tenant.records()).find(({ operation_id }) => operation_id === view.operation_id);
    expect(record?.rule_ids).toEqual(expect.arrayContaining(['policy.observed:no_go', 'policy.observed', 'o.reads']));
  });

  it("doesn't override a scope, a budget, a revocation, a freeze or a limit of the session", async () => {
    const narrow = await tenant.token({ fs: [{ path: 'src', read: true, write: true }] });
    expect(await outcomeOf(tenant.call(narrow))).toBe('token.scope');
    const poor = await tenant.token({ budgets: { calls: 1 } });
    expect([await outcomeOf(tenant.call(poor)), await outcomeOf(tenant.call(poor))]).toEqual([
      'admitted',
      'budget.exhausted',
    ]);
    const revoked = await tenant.token();
    await tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [revoked]);
    expect(await outcomeOf(tenant.call(revoked))).toBe('token.revoked');
    expect(await outcomeOf(read({ max_autonomy: 'escalated' }))).toBe('held');
    expect(await outcomeOf(write({ tool_id: 'shell.run', args: { command: 'rm -rf /' } }))).toBe('policy.denied');
    await tenant.query(
      `INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by) VALUES ('frz_x', $1, 'tenant', $1, 'stop', 'spec')`,
      [tenant.tenantId],
    );
    expect(await outcomeOf(read())).toBe('frozen');
  });

  it('commits an effect that it would have stopped, and states that in reasons and in the record', async () => {
    const { attempt } = await run.perform(tenant, write());
    const { operation_id } = attempt;
    expect(
      await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'changed' }))),
    ).toMatchObject({ tx_outcome: 'committed' });
    const { reasons } = await tenant.row(operation_id);
    expect(reasons).toEqual(
      expect.arrayContaining([
        { code: 'policy.observed', message: 'the policy is observed only; it decides no_go of the effect' },
        { code: 'o.a', message: 'a.txt stays' },
      ]),
    );
    expect(await outcomeRuleIds(operation_id)).toEqual(['policy.observed:no_go', 'policy.observed', 'o.a']);
  });

  it('records that it would have allowed an effect, without a reason for the caller', async () => {
    const { attempt } = await run.perform(tenant, write());
    const { operation_id } = attempt;
    await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'b.txt': 'new' })));
    expect(await outcomeRuleIds(operation_id)).toEqual([
      'policy.observed:autopilot',
      'policy.observed',
      'watching.all',
    ]);
    expect((await tenant.row(operation_id)).reasons.filter(({ message }) => message.endsWith('of the effect'))).toEqual(
      [],
    );
  });
});

describe('an effect that an enforcing set stops', () => {
  const areas = (unless: string) =>
    `@id("o.a") @reason("a.txt stays") @would_pass("another file than a.txt") forbid (principal, action, resource is File) when { context has effect && resource.path == "a.txt"${unless} };`;
  const change = async (call: ProposedCall) => {
    const { attempt } = await run.perform(tenant, call);
    const { operation_id } = attempt;
    await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'changed' })));
    return { operation_id, row: await tenant.row(operation_id) };
  };

  it('ends with a hint of what would have passed, and a record that names the rule', async () => {
    await kernel.install(tenant, setOf('keeping', areas('')));
    const { operation_id, row } = await change(write());
    expect(row).toMatchObject({
      state: 'rolled_back',
      fault_code: 'effect.out_of_scope',
      fault_hint: expect.stringMatching(/judged before it runs\. it would pass: another file than a\.txt$/) as string,
    });
    expect(await outcomeRuleIds(operation_id)).toEqual(['o.a']);
  });

  it('ends with a hint where no person can be asked', async () => {
    await kernel.install(tenant, setOf('asking', areas(' && context.supervision == "autopilot"')));
    const { operation_id, row } = await change(write({ session_mode: 'gateway' }));
    expect(row).toMatchObject({
      fault_code: 'effect.out_of_scope',
      fault_hint: expect.stringContaining('it would pass: a person approves it; and another file than a.txt') as string,
    });
    expect(await outcomeRuleIds(operation_id)).toEqual(['o.a', 'asking.all']);
  });

  it('waits for a person, who sees what would have passed without an approval', async () => {
    await kernel.install(tenant, setOf('asking', areas(' && context.supervision == "autopilot"')));
    const { row } = await change(write());
    expect(row).toMatchObject({
      state: 'held',
      reasons: expect.arrayContaining([
        { code: 'policy.would_pass', message: 'it would pass: a person approves it; and another file than a.txt' },
      ]) as unknown,
    });
  });
});
