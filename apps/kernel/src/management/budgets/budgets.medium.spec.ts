// SPDX-License-Identifier: Apache-2.0
import type { BudgetSetting, BudgetView, Caller, KernelRequest, ProposedCall } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { openTestKernel, type TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, pagesOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { shownEffectDigest } from '../../specs/shown-effect.ts';
import { deltaFor, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import { AUTOPILOT, requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let execution: TestExecution;
let tenant: TestTenant;
let admin: Caller;
let token: string;
openKernelSpec(
  (on) => {
    ({ kernel, manage, run: execution } = on);
  },
  () => openTestKernel(32),
);
beforeEach(async () => {
  kernel.policy.answer = () => AUTOPILOT;
  tenant = await kernel.newTenant();
  admin = callerOf(tenant.tenantId);
  token = await tenant.token();
});

const WHOLE = { kind: 'tenant', id: null } as const;
const set = (limit: number, more: Partial<BudgetSetting> = {}): Promise<BudgetView> =>
  manage.budgets.set({
    ...requestBy(admin),
    budget: { subject: WHOLE, period: 'day', measure: 'calls', limit, ...more },
  });
const read = (budget_id: string) => manage.budgets.read({ ...requestBy(admin), budget_id });
const call = (more: Partial<ProposedCall> = {}) => kernel.admit.run(tenant.writeCall(token, more), null);
const admitted = (views: readonly { readonly state: string }[]) =>
  views.filter(({ state }) => state === 'admitted').length;
const together = <T>(n: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, index) => run(index)));

describe('a budget of calls', () => {
  it('admits as many calls as it allows, and refuses the next one with its use and the time of its reset', async () => {
    const { budget_id, resets_at } = await set(2);
    expect(admitted([await call(), await call()])).toBe(2);
    const refused = await call();
    expect(refused).toMatchObject({
      state: 'refused',
      result: {
        error: {
          code: 'budget.period',
          message: `the budget \`${budget_id}\` allows 2 calls a day for the whole tenant, and 2 calls are used`,
          hint: expect.stringContaining(new Date(resets_at).toISOString()),
        },
      },
    });
    expect((await tenant.records()).at(-1)).toMatchObject({ verdict: 'refused', fault_code: 'budget.period' });
    expect(await read(budget_id)).toMatchObject({ used: 2, limit: 2 });
  });

  it('counts neither a replay, nor a refused call, nor a dry run', async () => {
    const { budget_id } = await set(10);
    await call({ idempotency_key: 'once' });
    expect(await call({ idempotency_key: 'once' })).toMatchObject({ replayed: true });
    await call({ dry_run: true });
    await call({ tool_id: 'fs.unknown' });
    expect(await read(budget_id)).toMatchObject({ used: 1 });
  });

  it('answers a replay after it is used up', async () => {
    await set(1);
    const { operation_id } = await call({ idempotency_key: 'once' });
    expect(await call({ idempotency_key: 'once' })).toMatchObject({ operation_id, replayed: true, state: 'admitted' });
  });

  it('bounds an agent, a person and an API key, each by itself', async () => {
    const [key, other] = [newId('apiKey'), newId('apiKey')];
    await set(3, { subject: { kind: 'agent', id: tenant.agentId } });
    await set(1, { subject: { kind: 'api_key', id: key } });
    await set(1, { subject: { kind: 'person', id: 'ann' } });
    const codes = [];
    for (const more of [
      { proposed_by: key },
      { proposed_by: key },
      { proposed_by: other, proposers: ['ann'] },
      { proposed_by: newId('apiKey'), proposers: ['ann'] },
      { proposed_by: other, proposers: ['bob', 'ann'] },
      { proposed_by: other },
    ])
      codes.push((await call(more)).result?.error?.code ?? null);
    expect(codes).toEqual([null, 'budget.period', null, 'budget.period', null, 'budget.period']);
  });

  it('of an API key counts the calls of credentials that were exchanged for it', async () => {
    const [key, exchanged] = [newId('apiKey'), newId('apiKey')];
    await kernel.admin.query(
      'INSERT INTO kernel.bound_key (tenant_id, api_key_id, capability_token_id, exchanged_by) VALUES ($1, $2, $3, $4)',
      [tenant.tenantId, exchanged, token, key],
    );
    const { budget_id } = await set(2, { subject: { kind: 'api_key', id: key } });
    expect(admitted([await call({ proposed_by: key }), await call({ proposed_by: exchanged })])).toBe(2);
    expect(await read(budget_id)).toMatchObject({ used: 2 });
    expect((await call({ proposed_by: exchanged })).result?.error?.code).toBe('budget.period');
  });

  it.each([1, 7, 40, 200])('of %i is never exceeded by calls that arrive at once, and is used up', async (limit) => {
    const { budget_id } = await set(limit);
    await set(limit + 5, { period: 'month' });
    const tokens = await Promise.all([token, tenant.token(), tenant.token()]);
    let calls = 0;
    // Calls that lose a race are told to come back, so a few rounds use it up.
    for (let round = 0; round < 6 && (await read(budget_id)).used < limit; round++) {
      const views = await together(Math.min(limit * 2, 120), (i) =>
        kernel.admit.run(tenant.writeCall(tokens[i % 3] as string), null).catch(() => ({ state: 'overloaded' })),
      );
      calls += admitted(views);
    }
    expect(calls).toBe(limit);
    expect(await read(budget_id)).toMatchObject({ used: limit });
    expect((await call()).result?.error?.code).toBe('budget.period');
  });

  it('counts a held call when a person approves it, and refuses it then where nothing is left', async () => {
    kernel.policy.answer = requires('soft_gate');
    const { budget_id } = await set(1);
    const [first, second] = [await call(), await call()];
    expect([first.state, second.state, (await read(budget_id)).used]).toEqual(['held', 'held', 0]);
    const approve = ({ approval_id }: { approval_id: string | null }) =>
      kernel.decide.run({
        ...requestBy(callerOf(tenant.tenantId, 'operator')),
        approval_id: approval_id ?? '',
        decision: 'approve',
        comment: null,
      });
    expect(await approve(first)).toMatchObject({ state: 'admitted' });
    expect(await read(budget_id)).toMatchObject({ used: 1 });
    expect(await approve(second)).toMatchObject({ state: 'refused', result: { error: { code: 'budget.period' } } });
  });

  it('counts a call once whose shown effect a person approves, before it runs or after it', async () => {
    await tenant.write({ 'a.txt': 'hello', 'b.txt': 'b' });
    const { budget_id } = await set(2);
    const approve = async (approval_id: string | null) =>
      await kernel.decide.run({
        ...requestBy(callerOf(tenant.tenantId, 'operator')),
        approval_id: approval_id ?? '',
        decision: 'approve',
        comment: null,
        effect_digest: await shownEffectDigest(kernel, tenant.tenantId, approval_id),
      });
    kernel.policy.answer = requires('soft_gate');
    const previewed = await call();
    await execution.preview(tenant, previewed, { 'a.txt': 'shown' });
    expect(await approve(previewed.approval_id)).toMatchObject({ state: 'committed' });
    expect(await read(budget_id)).toMatchObject({ used: 1 });

    kernel.policy.answer = ({ resources }) =>
      resources.some(({ path }) => path === 'b.txt') ? requires('soft_gate')() : AUTOPILOT;
    const { attempt } = await execution.perform(tenant, tenant.writeCall(token));
    await execution.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'b.txt': 'hook' })));
    expect(await read(budget_id)).toMatchObject({ used: 2 });
    // The budget is used up, by this call among others.
    const { approval_id } = await tenant.row(attempt.operation_id);
    expect(await approve(approval_id)).toMatchObject({ state: 'committed' });
    expect(await read(budget_id)).toMatchObject({ used: 2 });
  });

  it('starts anew with the next period', async () => {
    const { budget_id } = await set(1);
    await call();
    await kernel.admin.query('UPDATE kernel.period_use SET starts_at = starts_at - 86400000 WHERE budget_id = $1', [
      budget_id,
    ]);
    expect(await read(budget_id)).toMatchObject({ used: 0 });
    expect((await call()).state).toBe('admitted');
    expect((await call()).state).toBe('refused');
  });

  it('counts nothing for a call whose transaction is undone', async () => {
    const { budget_id } = await set(5);
    await call();
    const again = tenant.writeCall(token);
    // The same call at once: one of the inserts is undone, with its count.
    await together(4, () => kernel.admit.run(again, null));
    expect(await read(budget_id)).toMatchObject({ used: 2 });
  });

  it('holds for a statement of a kernel that knows no budgets', async () => {
    await set(0);
    await expect(
      kernel.admin.query(
        `INSERT INTO kernel.operation (operation_id, tenant_id, agent_id, proposed_by, provenance, proposal_digest, tool_id, capability_token_id, session_mode, task_class, precondition_refs, policy_hash, mutating, autonomy_mode, risk_score, risk_basis, reasons, approval_refs, state)
         VALUES ($1, $2, $3, 'key', '{}', 'x', 'fs.write', $4, 'interactive', 'x', '[]', 'x', true, 'autopilot', 0, '{}', '[]', '{}', 'admitted')`,
        [newId('operation'), tenant.tenantId, tenant.agentId, token],
      ),
    ).rejects.toMatchObject({ code: 'WR001' });
  });
});

describe('a change of a budget', () => {
  it('sets the limit of the one that there is, keeps what was used, and is recorded without naming the person', async () => {
    const subject = { kind: 'person', id: 'ann' } as const;
    const first = await set(5, { subject });
    await call({ proposers: ['ann'] });
    expect(await set(5, { subject })).toMatchObject({ used: 1 });
    const lowered = await set(1, { subject });
    expect(lowered).toMatchObject({ budget_id: first.budget_id, limit: 1, used: 1, created_at: first.created_at });
    expect((await call({ proposers: ['ann'] })).result?.error?.code).toBe('budget.period');
    await set(2, { subject });
    expect((await call({ proposers: ['ann'] })).state).toBe('admitted');
    const deleted = await manage.budgets.delete({ ...requestBy(admin), budget_id: first.budget_id });
    expect(deleted).toMatchObject({ used: 2 });
    expect((await call({ proposers: ['ann'] })).state).toBe('admitted');
    const changes = (await tenant.records()).filter(({ kind }) => kind === 'change');
    expect(changes.map(({ change }) => change?.verb)).toEqual([
      'budget_set',
      'budget_set',
      'budget_set',
      'budget_deleted',
    ]);
    expect(JSON.stringify(changes)).not.toContain('ann"');
  });

  it('lowered while calls arrive admits no more than it allows after it', async () => {
    const { budget_id } = await set(1_000);
    const calls = together(60, () => call().catch(() => ({ state: 'overloaded' })));
    await set(10);
    const { used } = await read(budget_id);
    await calls;
    expect((await read(budget_id)).used).toBeLessThanOrEqual(Math.max(10, used));
  });

  it.each<[string, Partial<BudgetSetting>, string]>([
    ['of the tenant with an id', { subject: { kind: 'tenant', id: 'x' } }, 'request.malformed'],
    ['of an agent without one', { subject: { kind: 'agent', id: null } }, 'request.malformed'],
    ['of an agent that is not there', { subject: { kind: 'agent', id: newId('agent') } }, 'not_found'],
    ['of something that is no key', { subject: { kind: 'api_key', id: 'ann' } }, 'request.malformed'],
    ['of calls in a currency', { currency: 'EUR' }, 'request.malformed'],
    ['of costs without one', { measure: 'cost' }, 'request.malformed'],
  ])('%s is refused', async (_what, more, code) => {
    await expect(set(1, more)).rejects.toMatchObject({ code });
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it("needs an administrator, and nobody sees or deletes another tenant's", async () => {
    const { budget_id } = await set(1);
    for (const role of ['operator', 'auditor', 'agent'] as const) {
      const caller = callerOf(tenant.tenantId, role, role === 'agent' ? tenant.agentId : null);
      expect((await refusalOf(manage.budgets.delete({ ...requestBy(caller), budget_id }))).code).toBe('auth.role');
    }
    const other = await kernel.newTenant();
    const [theirs, nobodys] = await Promise.all(
      [budget_id, newId('budget')].map((id) =>
        refusalOf(manage.budgets.delete({ ...requestBy(callerOf(other.tenantId)), budget_id: id })),
      ),
    );
    expect(theirs).toEqual(nobodys);
    expect(await read(budget_id)).toMatchObject({ limit: 1 });
  });

  it('is listed newest first, page by page', async () => {
    const made = [];
    for (const id of ['ann', 'bob', 'cleo'])
      made.unshift((await set(1, { subject: { kind: 'person', id } })).budget_id);
    const pages = await pagesOf(2, (page) => manage.budgets.list({ ...requestBy(admin), page }));
    expect(pages.flat().map(({ budget_id }) => budget_id)).toEqual(made);
  });
});

describe('a budget of model tokens and costs', () => {
  const run = () => ({ run_id: newId('run'), fence: 1, place: 1 });
  const draw = (
    of: ReturnType<typeof run>,
    [used_total, reserve]: readonly [number, number],
    cost: KernelRequest<'token.draw'>['cost'] = null,
    caller: Caller = admin,
  ) =>
    manage.drawTokens.run({
      ...requestBy(caller),
      capability_token_id: token,
      ...of,
      place: of.place++,
      used_total,
      reserve,
      ...(cost === undefined ? {} : { cost }),
    });

  it('counts what runs used, refuses a reply that may use more than is left, and counts nothing twice', async () => {
    const { budget_id } = await set(100, { measure: 'llm_tokens' });
    const [one, two] = [run(), run()];
    expect(await draw(one, [0, 60])).toEqual({ bounded: true });
    expect(await refusalOf(draw(two, [0, 60]))).toMatchObject({
      code: 'budget.period',
      message: expect.stringContaining(budget_id),
    });
    await draw(one, [50, 0]);
    one.place -= 1;
    await draw(one, [50, 0]);
    expect(await read(budget_id)).toMatchObject({ used: 50 });
    await draw(two, [0, 50]);
    // What a model has read is spent, whatever was reserved.
    await draw(two, [70, 0]);
    expect(await read(budget_id)).toMatchObject({ used: 120 });
    expect((await refusalOf(draw(one, [50, 1]))).code).toBe('budget.period');
  });

  it('of costs bounds runs of models with prices in its currency alone', async () => {
    await set(1_000, { measure: 'cost', currency: 'EUR' });
    const cost = (currency: string, reserve: number) => ({ currency, used_total: 0, reserve });
    expect((await refusalOf(draw(run(), [0, 1], cost('EUR', 1_001)))).code).toBe('budget.period');
    expect(await draw(run(), [0, 1], cost('EUR', 1_000))).toEqual({ bounded: true });
    expect(await draw(run(), [0, 1], cost('USD', 9_000))).toEqual({ bounded: false });
    expect(await draw(run(), [0, 1])).toEqual({ bounded: false });
  });

  it('counts nothing of what a run used before there was a budget, nor before its costs were reported', async () => {
    const older = run();
    await draw(older, [5_000, 0], { currency: 'EUR', used_total: 900, reserve: 0 });
    const tokens = await set(100, { measure: 'llm_tokens' });
    const costs = await set(100, { measure: 'cost', currency: 'EUR' });
    await draw(older, [5_000, 10], { currency: 'EUR', used_total: 900, reserve: 10 });
    await draw(older, [5_010, 0], { currency: 'EUR', used_total: 920, reserve: 0 });
    expect(await read(tokens.budget_id)).toMatchObject({ used: 10 });
    expect(await read(costs.budget_id)).toMatchObject({ used: 20 });
    // An orchestrator of the version before began it, and knows no costs.
    const mixed = run();
    await draw(mixed, [0, 0]);
    await draw(mixed, [0, 0], { currency: 'EUR', used_total: 700, reserve: 0 });
    await draw(mixed, [0, 0], { currency: 'EUR', used_total: 730, reserve: 0 });
    expect(await read(costs.budget_id)).toMatchObject({ used: 50 });
  });

  it('of a person bounds their runs alone', async () => {
    await set(10, { measure: 'llm_tokens', subject: { kind: 'person', id: 'ann' } });
    const ann = { ...admin, principal: 'ann' };
    expect((await refusalOf(draw(run(), [0, 11], null, ann))).code).toBe('budget.period');
    expect(await draw(run(), [0, 11])).toEqual({ bounded: false });
  });

  it('refuses an orchestrator of the version before as a budget of its token does', async () => {
    await set(0, { measure: 'llm_tokens' });
    const {
      v,
      caller,
      cost: _cost,
      ...rest
    } = { v: 1 as const, caller: admin, cost: null, capability_token_id: token };
    expect(
      (await refusalOf(manage.drawTokens.run({ v, caller, ...rest, ...run(), used_total: 0, reserve: 1 }))).code,
    ).toBe('budget.exhausted');
  });

  it('is never exceeded by what runs reserve at once', async () => {
    await set(100, { measure: 'llm_tokens' });
    const answers = await together(30, () =>
      draw(run(), [0, 10]).then(
        () => 'reserved',
        (error: unknown) => (error as { code: string }).code,
      ),
    );
    expect(answers.filter((answer) => answer === 'reserved')).toHaveLength(10);
    expect(answers.filter((answer) => answer === 'budget.period')).toHaveLength(20);
  });

  it('releases what the token reserved for a reply that it refuses', async () => {
    token = await tenant.token({ budgets: { llm_tokens: 1_000 } });
    await set(10, { measure: 'llm_tokens' });
    expect((await refusalOf(draw(run(), [0, 11]))).code).toBe('budget.period');
    expect((await tenant.budgetOf(token))['llm_tokens']).toMatchObject({ reserved: 0, used: 0 });
  });
});
