// SPDX-License-Identifier: Apache-2.0
//
// Chains over several agents: an agent delegates a part of its rights to another, which delegates a part of that.
import type { Caller, Grant } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import { requestBy, callerOf, pagesOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let execution: TestExecution;
openKernelSpec((on) => {
  ({ kernel, manage, run: execution } = on);
});
beforeEach(() => {
  kernel.policy.answer = () => AUTOPILOT;
});

const NOTHING_HERE = { code: 'not_found', message: 'there is no such thing here' };
const END = Date.now() + 3_600_000;
const grantOf = (calls: number): Grant => ({
  tools: ['fs.*'],
  fs: [{ path: '', read: true, write: true }],
  net: [],
  secrets: [],
  budgets: { calls },
  not_before: 0,
  expires_at: END,
});

interface Link {
  readonly agentId: string;
  readonly key: Caller;
  readonly token: string;
}

/** A root for the tenant's agent, and under it a token for a second and a third agent, each made by the one above. */
async function chainOfThree(): Promise<{ tenant: TestTenant; admin: Caller; links: readonly [Link, Link, Link] }> {
  const tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'before' });
  const admin = callerOf(tenant.tenantId);
  const root = await manage.issue.run({
    ...requestBy(admin),
    agent_id: tenant.agentId,
    workspace_id: tenant.workspaceId,
    grant: grantOf(10),
  });
  const links: Link[] = [
    {
      agentId: tenant.agentId,
      key: callerOf(tenant.tenantId, 'agent', tenant.agentId),
      token: root.capability_token_id,
    },
  ];
  for (const name of ['second', 'third']) {
    const above = links.at(-1) as Link;
    const { agent_id } = await manage.agents.create({ ...requestBy(admin), name });
    const { capability_token_id } = await give(above, agent_id, 10 - links.length);
    links.push({ agentId: agent_id, key: callerOf(tenant.tenantId, 'agent', agent_id), token: capability_token_id });
  }
  return { tenant, admin, links: links as [Link, Link, Link] };
}
const give = ({ key, token }: Pick<Link, 'key' | 'token'>, agent_id: string, calls: number) =>
  manage.attenuate.run({ ...requestBy(key), parent_id: token, agent_id, grant: grantOf(calls) });
const read = (caller: Caller, capability_token_id: string) =>
  manage.tokens.read({ ...requestBy(caller), capability_token_id });
const revoke = (caller: Caller, capability_token_id: string) =>
  manage.revoke.run({ ...requestBy(caller), capability_token_id });
const childrenOf = async (caller: Caller, parent_id: string) =>
  (await pagesOf(2, (page) => manage.tokens.list({ ...requestBy(caller), page, agent_id: null, parent_id })))
    .flat()
    .map((token) => token.capability_token_id);
const callAs = (tenant: TestTenant, { agentId, token }: Link) => tenant.writeCall(token, { agent_id: agentId });

describe('a sub-agent', () => {
  it('calls with its own token, and spends from every token above', async () => {
    const { tenant, links } = await chainOfThree();
    expect(await kernel.admit.run(callAs(tenant, links[2]), null)).toMatchObject({ state: 'admitted' });
    for (const { token } of links) expect((await tenant.budgetOf(token))['calls']).toMatchObject({ reserved: 1 });
    expect(await read(links[2].key, links[2].token)).toMatchObject({
      chain: links.map(({ token }) => token),
      left: { calls: 7 },
      reserved: { calls: 1 },
    });
  });

  it("can't use another agent's token, above or below its own", async () => {
    const { tenant, links } = await chainOfThree();
    for (const [caller, holder] of [
      [links[1], links[0]],
      [links[0], links[1]],
      [links[2], links[1]],
    ] as const) {
      const view = await kernel.admit.run(tenant.writeCall(holder.token, { agent_id: caller.agentId }), null);
      expect(view).toMatchObject({ state: 'refused', result: { error: { code: 'token.agent' } } });
    }
  });

  it('delegates no more than it has, and nothing from a token that it delegated', async () => {
    const { links } = await chainOfThree();
    expect((await refusalOf(give(links[1], links[2].agentId, 10))).code).toBe('token.not_narrower');
    for (const token of [links[0].token, links[2].token])
      expect(await refusalOf(give({ key: links[1].key, token }, links[1].agentId, 1))).toEqual(NOTHING_HERE);
  });

  it('sees its own tokens and those that derive from them, and none above or beside', async () => {
    const { admin, links } = await chainOfThree();
    const [first, second, third] = links;
    const beside = await give(first, third.agentId, 2);
    expect(await childrenOf(first.key, first.token)).toEqual([beside.capability_token_id, second.token]);
    expect(await childrenOf(admin, first.token)).toEqual([beside.capability_token_id, second.token]);
    expect(await childrenOf(first.key, second.token)).toEqual([third.token]);
    expect(await childrenOf(third.key, third.token)).toEqual([]);
    expect((await read(first.key, third.token)).agent_id).toBe(third.agentId);
    for (const token of [first.token, beside.capability_token_id]) {
      expect(await refusalOf(read(second.key, token))).toEqual(NOTHING_HERE);
      expect(await refusalOf(childrenOf(second.key, token))).toEqual(NOTHING_HERE);
    }
  });

  it('revokes tokens that derive from its own, at any depth, and never its own', async () => {
    const { links } = await chainOfThree();
    const [first, second, third] = links;
    expect((await refusalOf(revoke(second.key, second.token))).code).toBe('auth.role');
    expect(await refusalOf(revoke(second.key, first.token))).toEqual(NOTHING_HERE);
    expect(await refusalOf(revoke(third.key, second.token))).toEqual(NOTHING_HERE);
    expect(await revoke(first.key, third.token)).toMatchObject({ revoked: true });
    expect(await revoke(first.key, second.token)).toMatchObject({ revoked: true });
    expect(await read(first.key, first.token)).toMatchObject({ revoked: false });
  });
});

/** The revoked token, relative to the third agent's call. */
const REVOKED = [
  ['the root', 0],
  ['the middle', 1],
  ['its own', 2],
] as const;

describe.each(REVOKED)('revoking %s token of a chain of three', (_which, at) => {
  const revokeAt = ({ admin, links }: Awaited<ReturnType<typeof chainOfThree>>) =>
    revoke(admin, (links[at] as Link).token);

  it('refuses the next call', async () => {
    const chain = await chainOfThree();
    await revokeAt(chain);
    expect(await kernel.admit.run(callAs(chain.tenant, chain.links[2]), null)).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.revoked' } },
    });
  });

  it('does not affect calls of the tokens above it', async () => {
    const chain = await chainOfThree();
    await revokeAt(chain);
    for (const link of chain.links.slice(0, at))
      expect(await kernel.admit.run(callAs(chain.tenant, link), null)).toMatchObject({ state: 'admitted' });
  });

  it('lets no held call be approved', async () => {
    const chain = await chainOfThree();
    kernel.policy.answer = requires('soft_gate');
    const { approval_id } = await kernel.admit.run(callAs(chain.tenant, chain.links[2]), null);
    await revokeAt(chain);
    const decided = await kernel.decide.run({
      ...requestBy(callerOf(chain.tenant.tenantId, 'operator')),
      approval_id: approval_id as string,
      decision: 'approve',
      comment: null,
    });
    expect(decided).toMatchObject({ state: 'refused', result: { error: { code: 'token.revoked' } } });
  });

  it('ends a call with a permit that has not begun, and releases its reservation', async () => {
    const chain = await chainOfThree();
    const call = callAs(chain.tenant, chain.links[2]);
    await kernel.admit.run(call, null);
    execution.speak(100);
    execution.dispatcher.wake('inline');
    const permit = await execution.permitOf(call.operation_id);
    await revokeAt(chain);
    const redeeming = execution.redeem.run({
      v: 1,
      permit,
      executor_id: 'exe_00000000000000000000000000',
      nonce: '0'.repeat(32),
    });
    expect((await refusalOf(redeeming)).code).toBe('token.revoked');
    expect(await chain.tenant.row(call.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'token.revoked',
    });
    for (const { token } of chain.links)
      expect((await chain.tenant.budgetOf(token))['calls']).toMatchObject({ reserved: 0, used: 0 });
  });

  it('stops a running call, and rolls back its effect', async () => {
    const chain = await chainOfThree();
    const { attempt } = await execution.perform(chain.tenant, callAs(chain.tenant, chain.links[2]));
    await revokeAt(chain);
    expect(kernel.events.stops).toContain(`${attempt.operation_id} ${attempt.attempt}`);
    const report = reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'after' }));
    expect(await execution.commit.run(report)).toMatchObject({ state: 'rolled_back' });
    expect(await textsAt(kernel, chain.tenant, ['a.txt'])).toEqual({ 'a.txt': 'before' });
    for (const { token } of chain.links)
      expect((await chain.tenant.budgetOf(token))['calls']).toMatchObject({ reserved: 0, used: 1 });
  });

  it('comes completely before a commit that is decided and not yet written: it rolls back', async () => {
    const chain = await chainOfThree();
    const { attempt } = await execution.perform(chain.tenant, callAs(chain.tenant, chain.links[2]));
    const report = reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'after' }));
    // The commit has read its facts, and waits for the rules that the revocation changes.
    await kernel.admin.query('BEGIN');
    await kernel.admin.query('SELECT kernel.change_rules($1)', [chain.tenant.tenantId]);
    const committing = execution.commit.run(report);
    await kernel.untilBlocked();
    await kernel.admin.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [
      chain.links[at]?.token,
    ]);
    await kernel.admin.query('COMMIT');
    expect(await committing).toMatchObject({ state: 'rolled_back' });
    expect(await textsAt(kernel, chain.tenant, ['a.txt'])).toEqual({ 'a.txt': 'before' });
    expect(await chain.tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'token.revoked' });
  });

  it('comes completely after a commit that is being written, and waits for it', async () => {
    const chain = await chainOfThree();
    const { attempt } = await execution.perform(chain.tenant, callAs(chain.tenant, chain.links[2]));
    const report = reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'after' }));
    // The commit has locked its chain and waits for the lock on the budget, which is last.
    await kernel.admin.query('BEGIN');
    await kernel.admin.query('SELECT 1 FROM kernel.budget WHERE tenant_id = $1 FOR UPDATE', [chain.tenant.tenantId]);
    const committing = execution.commit.run(report);
    await kernel.untilBlocked();
    let isRevoked = false;
    const revoking = revokeAt(chain).then((view) => {
      isRevoked = true;
      return view;
    });
    await untilWaiting(2);
    expect(isRevoked).toBe(false);
    await kernel.admin.query('COMMIT');
    expect(await committing).toMatchObject({ state: 'committed' });
    expect(await revoking).toMatchObject({ revoked: true });
    expect(await textsAt(kernel, chain.tenant, ['a.txt'])).toEqual({ 'a.txt': 'after' });
  });
});

/** Resolves once this many statements wait for a lock. */
async function untilWaiting(statements: number): Promise<void> {
  const sql = `SELECT 1 FROM pg_stat_clear_snapshot(), pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while (((await kernel.admin.query(sql)).rowCount ?? 0) < statements)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}
