// SPDX-License-Identifier: Apache-2.0
import type {
  ApprovalView,
  CapabilityToken,
  Caller,
  OperationView,
  ProposedCall,
  SessionGrantTerms,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, callerOf, type TestManagement } from '../../specs/test-management.ts';
import { requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { shownEffectDigest } from '../../specs/shown-effect.ts';

const ASK: SessionGrantTerms = { uses: 3, ttl_ms: 60_000 };
let kernel: TestKernel;
let manage: TestManagement;
let execution: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, manage, run: execution } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token({ budgets: { calls: 10 } });
  kernel.policy.hash = '1'.repeat(64);
  kernel.policy.answer = requires('soft_gate');
});

const write = (more: Partial<ProposedCall> = {}): ProposedCall =>
  tenant.writeCall(token, { session_id: 'ses-1', args: { path: 'a.txt', content: 'first' }, ...more });
const shell = (command: string, more: Partial<ProposedCall> = {}): ProposedCall =>
  write({ tool_id: 'shell.run', args: { command }, ...more });
const admit = async (call: ProposedCall): Promise<OperationView> => await kernel.admit.run(call, null);
const decide = async (
  held: OperationView,
  session: SessionGrantTerms | null = ASK,
  caller: Caller = callerOf(tenant.tenantId, 'operator'),
): Promise<OperationView> =>
  await kernel.decide.run({
    ...requestBy(caller),
    approval_id: held.approval_id ?? '',
    decision: 'approve',
    comment: null,
    session,
  });
const approvalOf = async (held: OperationView): Promise<ApprovalView> =>
  await kernel.approvals.read({ ...requestBy(callerOf(tenant.tenantId)), approval_id: held.approval_id ?? '' });
const tokenOf = async (held: OperationView): Promise<CapabilityToken & { chain: string[] }> =>
  (await manage.tokens.read({
    ...requestBy(callerOf(tenant.tenantId)),
    capability_token_id: (await approvalOf(held)).session_token_id ?? '',
  })) as never;
/** Holds the call and approves it with a session grant. */
const approved = async (call = write()): Promise<OperationView> => {
  const held = await admit(call);
  expect(held.state).toBe('held');
  await decide(held);
  return held;
};

describe('a session grant', () => {
  it('is a recorded child token for the tool, path and workspace, made with the approval', async () => {
    const caller = callerOf(tenant.tenantId, 'operator');
    const held = await admit(write());
    const view = await decide(held, ASK, caller);
    const made = await tokenOf(held);
    expect(made).toMatchObject({
      parent_id: token,
      chain: [token, made.capability_token_id],
      agent_id: tenant.agentId,
      workspace_id: tenant.workspaceId,
      issuer: caller.api_key_id,
      grant: {
        tools: ['fs.write'],
        fs: [{ path: 'a.txt', read: false, write: true }],
        net: [],
        secrets: [],
        budgets: { calls: 3 },
      },
      session_approval: {
        session_id: 'ses-1',
        approval_id: held.approval_id,
        operation_id: held.operation_id,
        args: 'any',
        policy_hash: '1'.repeat(64),
      },
    });
    expect(view.reasons.find(({ code }) => code === 'approval.session')?.message).toContain(made.capability_token_id);
    const record = (await tenant.records()).find(({ kind }) => kind === 'token');
    expect(record).toMatchObject({
      capability_token_id: made.capability_token_id,
      actor: caller.api_key_id,
      approval_refs: [held.approval_id],
      change: { verb: 'token_attenuated' },
    });
    expect(await tenant.budgetOf(made.capability_token_id)).toMatchObject({
      calls: { bound: 3, reserved: 0, used: 0 },
    });
  });

  it('admits like calls, which still name their own token, until its budget of calls is used up', async () => {
    const { capability_token_id } = await tokenOf(await approved());
    const states = [];
    for (let times = 0; times < 4; times++)
      states.push(await admit(write({ args: { path: 'a.txt', content: `number ${String(times)}` } })));
    expect(states.map(({ state }) => state)).toEqual(['admitted', 'admitted', 'admitted', 'held']);
    expect(new Set(states.slice(0, 3).map((view) => view.capability_token_id))).toEqual(new Set([capability_token_id]));
    expect(states[3]?.capability_token_id).toBe(token);
    expect(await tenant.budgetOf(capability_token_id)).toMatchObject({ calls: { reserved: 3 } });
    // The approved call and three more: the parent's bound counts them all.
    expect(await tenant.budgetOf(token)).toMatchObject({ calls: { reserved: 4 } });
  });

  it('is named in the record of each call under it', async () => {
    const held = await approved();
    const { capability_token_id } = await tokenOf(held);
    const view = await admit(write());
    expect((await tenant.records()).find(({ record_id }) => record_id === view.decision_record_id)).toMatchObject({
      verdict: 'admitted',
      capability_token_id,
      approval_refs: [held.approval_id],
      autonomy_mode: 'soft_gate',
    });
    expect(view.reasons.map(({ code }) => code)).toContain('approval.session');
  });

  it("does not change idempotency: the same call again is the same operation, under the caller's token", async () => {
    await approved();
    const call = write();
    const first = await admit(call);
    const again = await admit({ ...call, operation_id: newId('operation') });
    expect(again).toMatchObject({ replayed: true, operation_id: first.operation_id });
    expect(await admit(call)).toMatchObject({
      replayed: false,
      operation_id: first.operation_id,
      decision_record_id: first.decision_record_id,
    });
  });

  it('ends when its token or the parent token is revoked', async () => {
    for (const end of ['child', 'parent'] as const) {
      token = await tenant.token();
      const { capability_token_id } = await tokenOf(await approved());
      await manage.revoke.run({
        ...requestBy(callerOf(tenant.tenantId)),
        capability_token_id: end === 'child' ? capability_token_id : token,
      });
      expect((await admit(write())).state).toBe(end === 'child' ? 'held' : 'refused');
    }
  });

  it.each(['suspended', 'offboarded'])('ends when the person who gave it is %s, with a record', async (how) => {
    const ann = { ...callerOf(tenant.tenantId, 'operator'), principal: 'ann' };
    const [held, stays] = [await admit(write()), await admit(write({ session_id: 'ses-2' }))];
    await decide(held, ASK, ann);
    await decide(stays, ASK, { ...callerOf(tenant.tenantId, 'operator'), principal: 'bob' });
    const { capability_token_id } = await tokenOf(held);
    expect((await admit(write())).state).toBe('admitted');
    const leave = { ...requestBy(callerOf(tenant.tenantId)), member_id: newId('member'), principals: ['ann'] };
    for (const _time of ['first', 'again'])
      await (how === 'suspended' ? manage.suspend.run({ ...leave, suspended: true }) : manage.offboard.run(leave));
    expect((await admit(write())).state).toBe('held');
    expect((await admit(write({ capability_token_id }))).state).toBe('refused');
    expect((await admit(write({ session_id: 'ses-2' }))).state).toBe('admitted');
    const revoked = (await tenant.records()).filter(({ change }) => change?.verb === 'token_revoked');
    expect(revoked).toMatchObject([{ kind: 'token', capability_token_id, agent_id: tenant.agentId }]);
  });

  it('ends when it expires', async () => {
    const { capability_token_id } = await tokenOf(await approved());
    await tenant.query(
      `UPDATE kernel.token SET grant_json = grant_json || '{"expires_at": 1}' WHERE capability_token_id = $1`,
      [capability_token_id],
    );
    expect((await admit(write())).state).toBe('held');
  });

  it('given by eight callers at once is one token', async () => {
    const held = await admit(write());
    await Promise.all(Array.from({ length: 8 }, () => decide(held)));
    expect((await tenant.records()).filter(({ kind }) => kind === 'token')).toHaveLength(1);
  });

  it('is a conflict after an approval of the call alone', async () => {
    const held = await admit(write());
    await decide(held, null);
    await expect(decide(held)).rejects.toMatchObject({ code: 'conflict' });
    expect((await approvalOf(held)).session_token_id).toBeNull();
  });
});

describe('a session grant does not cover', () => {
  it.each<[string, () => ProposedCall]>([
    ['another session', () => write({ session_id: 'ses-2' })],
    ['no session', () => write({ session_id: null })],
    ['another path', () => write({ args: { path: 'b.txt', content: 'first' } })],
    ['a path below a link that leads elsewhere', () => write({ args: { path: 'link', content: 'x' } })],
    [
      'another tool',
      () => write({ tool_id: 'fs.edit', args: { path: 'a.txt', edits: [{ find: 'a', replace: 'b' }] } }),
    ],
  ])('%s', async (_what, call) => {
    await tenant.write({ 'a.txt': 'a', link: '->b.txt' });
    await approved();
    expect((await admit(call())).state).toBe('held');
  });

  it.each<[string, () => void]>([
    [
      'a riskier call',
      () => {
        kernel.policy.answer = () => ({ ...requires('soft_gate')(), risk_score: 0.9 }) as never;
      },
    ],
    [
      'a call that is risky for another reason',
      () => {
        kernel.policy.answer = () => ({ ...requires('soft_gate')(), risk_basis: ['test.other'] }) as never;
      },
    ],
    [
      'a call that another rule holds',
      () => {
        kernel.policy.answer = () =>
          ({ ...requires('soft_gate')(), reasons: [{ code: 'rule.other', message: 'other' }] }) as never;
      },
    ],
    [
      'another policy',
      () => {
        kernel.policy.hash = '2'.repeat(64);
      },
    ],
    [
      'a call that needs an administrator',
      () => {
        kernel.policy.answer = requires('escalated');
      },
    ],
    [
      'a call that needs two persons',
      () => {
        kernel.policy.answer = () =>
          ({ ...requires('soft_gate')(), approvers: { count: 2, role: 'operator' } }) as never;
      },
    ],
  ])('%s', async (_what, change) => {
    await approved();
    change();
    expect((await admit(write())).state).toBe('held');
  });

  it('another command, only the identical one', async () => {
    await approved(shell('npm install left-pad'));
    expect((await admit(shell('npm install left-pad'))).state).toBe('admitted');
    expect((await admit(shell('npm install left-pad; rm -rf src'))).state).toBe('held');
    expect(
      (await admit(shell('npm install left-pad', { args: { command: 'npm install left-pad', on_failure: 'keep' } })))
        .state,
    ).toBe('held');
  });

  it("another agent's call, even with the token", async () => {
    const { capability_token_id } = await tokenOf(await approved());
    const agent_id = newId('agent');
    await tenant.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
      agent_id,
      tenant.tenantId,
      'other',
    ]);
    expect(await admit(write({ agent_id, capability_token_id }))).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.agent' } },
    });
  });
});

describe('the token of a session grant, named by its holder', () => {
  it('admits like calls of its session, and is refused elsewhere', async () => {
    const { capability_token_id } = await tokenOf(await approved());
    expect((await admit(write({ capability_token_id }))).state).toBe('admitted');
    expect(await admit(write({ capability_token_id, session_id: 'ses-2' }))).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.scope' } },
    });
    expect(await admit(write({ capability_token_id, args: { path: 'b.txt', content: 'x' } }))).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.scope' } },
    });
  });

  it('has children that are bound to the session and approve nothing', async () => {
    const { capability_token_id, grant } = await tokenOf(await approved());
    const child = await manage.attenuate.run({
      ...requestBy(callerOf(tenant.tenantId, 'agent', tenant.agentId)),
      parent_id: capability_token_id,
      agent_id: null,
      grant,
    });
    expect(child.session_approval).toBeUndefined();
    expect((await admit(write({ capability_token_id: child.capability_token_id }))).state).toBe('held');
    expect(await admit(write({ capability_token_id: child.capability_token_id, session_id: 'ses-2' }))).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.scope' } },
    });
  });
});

describe('a session grant is refused for', () => {
  it.each<[string, () => ProposedCall, () => void]>([
    ['a call of no session', () => write({ session_id: null }), () => undefined],
    [
      'a call that needs an administrator',
      () => write(),
      () => {
        kernel.policy.answer = requires('escalated');
      },
    ],
    [
      'a call that needs two persons',
      () => write(),
      () => {
        kernel.policy.answer = () =>
          ({ ...requires('soft_gate')(), approvers: { count: 2, role: 'operator' } }) as never;
      },
    ],
  ])('%s: it stays held', async (_what, call, prepare) => {
    prepare();
    const held = await admit(call());
    await expect(decide(held, ASK, callerOf(tenant.tenantId))).rejects.toMatchObject({ code: 'conflict' });
    expect((await tenant.row(held.operation_id)).state).toBe('held');
    expect((await tenant.records()).filter(({ kind }) => kind === 'token')).toEqual([]);
  });

  it('the proposer, the agent and an auditor', async () => {
    const held = await admit(write());
    await expect(decide(held, ASK, callerOf(tenant.tenantId, 'agent', tenant.agentId))).rejects.toMatchObject({
      code: 'auth.role',
    });
    await expect(decide(held, ASK, { ...callerOf(tenant.tenantId), api_key_id: tenant.keyId })).rejects.toMatchObject({
      code: 'approval.own_call',
    });
    await expect(decide(held, ASK, callerOf(tenant.tenantId, 'auditor'))).rejects.toMatchObject({ code: 'auth.role' });
  });
});

describe('the effect of a call under a session grant', () => {
  it('commits where the policy needs a person only for the reasons that were shown', async () => {
    await approved();
    const { attempt } = await execution.perform(tenant, write());
    await execution.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'second' })));
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'second' });
  });

  it('is held where the policy needs a person for another reason', async () => {
    await approved(shell('make'));
    kernel.policy.answer = (action) =>
      ({
        ...requires('soft_gate')(),
        ...('changes' in action ? { reasons: [{ code: 'rule.effect', message: 'it changes what runs later' }] } : {}),
      }) as never;
    const { attempt } = await execution.perform(tenant, shell('make'));
    const result = { exit_code: 0, signal: null, output: '', truncated_bytes: 0, wall_ms: 1 };
    await execution.commit.run(
      reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'made' }), { result, exit_code: 0 }),
    );
    expect((await tenant.row(attempt.operation_id)).state).toBe('held');
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': null });
    // A person who has seen the effect may approve it.
    const { approval_id } = await tenant.row(attempt.operation_id);
    const effect_digest = await shownEffectDigest(kernel, tenant.tenantId, approval_id);
    const yes = {
      ...requestBy(callerOf(tenant.tenantId, 'operator')),
      approval_id: approval_id ?? '',
      decision: 'approve',
      comment: null,
    } as const;
    // Neither an approval nor a session grant covers an effect that it doesn't name.
    const again = { uses: 1, ttl_ms: 60_000 };
    for (const session of [null, again])
      await expect(kernel.decide.run({ ...yes, session })).rejects.toMatchObject({ code: 'approval.effect_unseen' });
    expect((await kernel.decide.run({ ...yes, effect_digest })).state).toBe('committed');
  });

  it('is held where it needs an administrator, whatever was shown', async () => {
    await approved();
    const { attempt } = await execution.perform(tenant, write());
    kernel.policy.answer = requires('escalated');
    await execution.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'second' })));
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'held' });
  });
});
